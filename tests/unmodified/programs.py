"""Little programs that know nothing of hookviz. `seen` collects what a reader of them could see."""

from __future__ import annotations

START = """\
import gc, threading, warnings, torch
from torch.utils.checkpoint import checkpoint
torch.manual_seed(1)
seen = []
def leaf(*values):
    return torch.tensor(values[0] if len(values) == 1 else values, requires_grad=True)
def said(function):
    try:
        seen.append(function())
    except Exception as error:
        seen.append((type(error).__name__, str(error)))
"""
"""Runs before each of them, in a plain cell."""

PROGRAMS: dict[str, str] = {
    "one pass": """\
a, b = leaf(2.0), leaf(3.0)
c = a * b
c.register_hook(lambda grad: print('c', grad))
c.retain_grad()
c.backward()
""",
    "used twice": """\
a = leaf(2.0)
b = (a * 3).exp()
b.backward()
b.backward()
""",
    "used twice, caught": """\
a = leaf(2.0)
b = (a * 3).exp()
b.register_hook(lambda grad: print('b', grad))
b.backward()
said(b.backward)
said(lambda: torch.autograd.grad(b, a))
said(lambda: b.grad_fn._saved_result)
said(lambda: hasattr(b.grad_fn, '_saved_result'))
""",
    "used twice where nothing is saved": """\
a, b = leaf(2.0), leaf(3.0)
c = a + b
c.backward()
c.backward()
""",
    "retained, then freed": """\
a = leaf(1.0, 2.0)
b = (a * a).sum()
b.backward(retain_graph=True)
b.backward(retain_graph=True)
b.backward()
said(b.backward)
""",
    "two losses on one trunk": """\
w = torch.randn(3, 3, requires_grad=True)
trunk = torch.tanh(torch.randn(2, 3) @ w)
one, two = trunk.sum(), (trunk * trunk).mean()
two.register_hook(lambda grad: print('two', grad))
one.backward()
said(two.backward)
""",
    "two losses, retained": """\
w = torch.randn(3, 3, requires_grad=True)
trunk = torch.tanh(torch.randn(2, 3) @ w)
trunk.sum().backward(retain_graph=True)
(trunk * trunk).mean().backward()
said((trunk + 1).sum().backward)
""",
    "freed as far as it came": """\
a, b = leaf(2.0), leaf(3.0)
early = a.exp()
late = early * b
early.register_hook(lambda grad: print('early', grad))
def hook(grad):
    raise KeyError('stop here')
early.register_hook(hook)
said(late.backward)
said(late.backward)
said(lambda: early.grad_fn._saved_result.item())
said(lambda: late.grad_fn._saved_other.item())
""",
    "assignment into a part, twice": """\
a = leaf(2.0, 3.0)
base = torch.zeros(3)
base[1:] = a * a
loss = base.sum()
loss.backward()
said(loss.backward)
""",
    "lists of saved tensors, twice": """\
a = leaf(1.0, 2.0, 3.0)
picked = a[torch.tensor([0, 2])]
loss = torch.cat([picked, a]).prod()
loss.backward()
said(loss.backward)
""",
    "a function of the user's, twice": """\
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad):
        print('backward of Cube')
        (x,) = ctx.saved_tensors
        print('has', x)
        return grad * 3 * x ** 2
x = leaf(2.0)
y = Cube.apply(x)
y.backward()
said(y.backward)
said(lambda: y.grad_fn.saved_tensors)
""",
    "a function of the user's with a fault": """\
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y
    @staticmethod
    def backward(ctx, grad):
        return grad
x, y = leaf(2.0), leaf(3.0)
Wrong.apply(x, y).backward()
""",
    "a hook raises": """\
a = leaf(2.0)
b = a * a
def stop(grad):
    print('about to stop', grad)
    raise ValueError('no')
b.register_hook(stop)
c = b * 2
c.backward()
print('never printed')
""",
    "a hook returns the wrong shape": """\
a = leaf(1.0, 2.0)
b = a * a
b.register_hook(lambda grad: grad[0])
b.sum().backward()
""",
    "a hook interrupts": """\
a = leaf(2.0)
c = a.exp()
b = c * c
def stop(grad):
    raise KeyboardInterrupt
c.register_hook(stop)
try:
    b.backward()
except KeyboardInterrupt:
    print('interrupted')
said(b.backward)
said(lambda: torch.autograd.grad(c.sin(), c))
""",
    "a hook runs a backward": """\
a, b = leaf(2.0), leaf(3.0)
c = a * a
def inner(grad):
    (b * b).backward()
    return grad * b.grad
c.register_hook(inner)
c.backward()
""",
    "an inner backward retains": """\
a, b = leaf(2.0), leaf(3.0)
part, early = a.exp(), b.exp()
root = early * part
def inner(grad):
    part.backward(retain_graph=True)
    raise ValueError('the outer one stops')
early.register_hook(inner)
said(root.backward)
said(lambda: torch.autograd.grad(part, a))
said(root.backward)
""",
    "create_graph": """\
a = leaf(2.0)
(a ** 3).backward(create_graph=True)
first = a.grad
a.grad = None
first.backward()
""",
    "create_graph warns": """\
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    a = leaf(2.0)
    (a * a).backward(create_graph=True)
seen.append([(w.category.__name__, str(w.message), w.filename, w.lineno) for w in caught])
a.grad = None
""",
    "old arguments warn": """\
a = leaf(1.0, 2.0)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    torch.autograd.backward([a * a], grad_variables=[torch.ones(2)])
seen.append([(w.category.__name__, str(w.message)) for w in caught])
""",
    "inputs=": """\
a, b = leaf(2.0), leaf(3.0)
c = a * b
d = c.exp()
d.backward(inputs=[a])
said(lambda: d.backward(inputs=[b]))
d = (a * b).exp()
d.backward(inputs=a, retain_graph=True)
d.backward(inputs=[b])
said(lambda: d.backward(inputs=[]))
""",
    "inputs= a non-leaf": """\
a, b = leaf(2.0), leaf(3.0)
c = a * b
c.retain_grad()
d = c.exp() * a
d.backward(inputs=[c])
said(d.backward)
""",
    "gradient=": """\
a = leaf(1.0, 2.0)
g = torch.tensor([1.0, -1.0])
b = a * a
b.register_hook(lambda grad: grad * 2)
b.backward(gradient=g)
said(lambda: b.backward(g))
""",
    "gradient= does not fit": """\
a = leaf(1.0, 2.0)
said(lambda: (a * a).backward(gradient=torch.ones(3)))
said(lambda: (a * a).backward(gradient=torch.ones(2, dtype=torch.complex64)))
said(lambda: (a * a).backward(gradient=5))
""",
    "not a scalar": """\
a = leaf(1.0, 2.0)
(a * a).backward()
""",
    "nothing requires grad": """\
x = torch.ones(3)
x.sum().backward()
""",
    "computed without grad": """\
a = leaf(2.0)
with torch.no_grad():
    loss = a * a
    said(loss.backward)
loss = (a * a).detach()
said(loss.backward)
said((a * a).item)
""",
    "backward without grad mode": """\
a = leaf(2.0)
loss = a * a
with torch.no_grad():
    loss.backward()
seen.append(torch.is_grad_enabled())
""",
    "changed in place before": """\
a = leaf(2.0)
b = a * a
c = b * b
b.add_(1)
said(c.backward)
a.data.add_(1)
loss = a.exp()
with torch.no_grad():
    loss.mul_(2)
said(loss.backward)
""",
    "the weights change after": """\
w = torch.ones(2, 2, requires_grad=True)
x = torch.ones(2, requires_grad=True)
loss = (w @ x).sum()
loss.backward()
with torch.no_grad():
    w -= w.grad
said(loss.backward)
loss = (w @ x).sum()
with torch.no_grad():
    w -= w.grad
said(loss.backward)
""",
    "autograd.backward": """\
a, b = leaf(2.0), leaf(3.0)
torch.autograd.backward(a * b)
torch.autograd.backward([a * a])
torch.autograd.backward(tensors=(a * b,), grad_tensors=(torch.tensor(5.0),))
""",
    "autograd.backward from two roots": """\
a, b = leaf(2.0), leaf(3.0)
c = a * b
torch.autograd.backward([c, c * c])
said(lambda: torch.autograd.backward([c, c * c]))
""",
    "backward by another name": """\
from torch.autograd import backward as go
a = leaf(2.0)
b = a * a
go(b)
said(lambda: go(b))
method = torch.Tensor.backward
method(a * 2)
""",
    "from a GradientEdge": """\
a = leaf(2.0)
b = a * a
edge = torch.autograd.graph.get_gradient_edge(b)
said(lambda: torch.autograd.backward([edge]))
""",
    "autograd.grad": """\
a, b = leaf(2.0), leaf(3.0)
c = a * b
seen.append(torch.autograd.grad(c, (a, b)))
said(c.backward)
x = leaf(1.0, 2.0, 3.0)
seen.append(torch.autograd.functional.jacobian(lambda t: t * t, x))
seen.append(torch.autograd.gradcheck(torch.sin, (x.detach().double().requires_grad_(),)))
""",
    "inside functions": """\
def model(x, w):
    hidden = x * w
    hidden.register_hook(lambda grad: grad.clamp(max=1))
    return hidden.sum()
def train(w):
    loss = model(torch.tensor([1.0, 2.0]), w)
    loss.backward()
    return loss.item()
w = leaf(1.0, 2.0)
seen.append([train(w) for _ in range(2)])
""",
    "a training loop": """\
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Dropout(0.5),
                            torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for i in range(6):
    optimizer.zero_grad(set_to_none=i % 2 == 0)
    loss = model(torch.randn(5, 4)).square().mean()
    loss.backward()
    optimizer.step()
    seen.append(loss.item())
seen.append([p.detach().clone() for p in model.parameters()])
seen.append([p.grad.clone() for p in model.parameters()])
seen.append(torch.randn(2))
""",
    "an optimizer with a closure": """\
w = leaf(3.0)
optimizer = torch.optim.LBFGS([w], lr=0.5)
def closure():
    optimizer.zero_grad()
    loss = (w - 1) ** 2
    loss.backward()
    return loss
for _ in range(2):
    seen.append(optimizer.step(closure).item())
""",
    "the optimizer runs inside backward": """\
w, v = leaf(2.0), leaf(3.0)
def step(p):
    with torch.no_grad():
        p.sub_(p.grad)
    p.grad = None
w.register_post_accumulate_grad_hook(step)
v.register_post_accumulate_grad_hook(step)
for _ in range(2):
    (w * v * w).backward()
    seen.append((w.item(), v.item()))
""",
    "gradients add up": """\
a = leaf(1.0, 2.0)
for _ in range(3):
    (a * a).sum().backward()
    seen.append(a.grad)
seen.append(seen[0] is a.grad)
""",
    "warnings about .grad": """\
a = leaf(2.0)
b = a * a
b.backward()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    b.grad
seen.append([(w.category.__name__, str(w.message)) for w in caught])
""",
    "another thread": """\
a = leaf(2.0)
def work():
    (a * a).backward()
    print('done')
thread = threading.Thread(target=work)
thread.start()
thread.join()
""",
    "threads one after the other, one fails": """\
a = leaf(2.0)
c = a * a
def work():
    said(c.backward)
for _ in range(2):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
""",
    "hooks of nodes": """\
a = leaf(2.0)
b = a * a
b.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
b.grad_fn.register_hook(lambda into, out: print('left', into))
b.backward()
said(b.backward)
""",
    "hooks of modules": """\
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
model[1].register_full_backward_hook(lambda module, into, out: print(into, out))
model[0].register_forward_hook(lambda module, args, output: output * 2)
x = torch.ones(1, 2, requires_grad=True)
loss = model(x).sum()
loss.backward()
said(loss.backward)
seen.append([p.grad for p in model.parameters()])
""",
    "checkpoint": """\
w = torch.randn(3, 3, requires_grad=True)
x = torch.randn(2, 3, requires_grad=True)
def part(t):
    print('forward')
    return torch.tanh(t @ w)
loss = checkpoint(part, x, use_reentrant=False).sum()
loss.backward()
said(loss.backward)
""",
    "checkpoint, reentrant": """\
w = torch.randn(3, 3, requires_grad=True)
x = torch.randn(2, 3, requires_grad=True)
loss = checkpoint(lambda t: torch.tanh(t @ w), x, use_reentrant=True).sum()
loss.backward()
said(loss.backward)
""",
    "hooks on saved tensors": """\
a = leaf(1.0, 2.0)
def pack(tensor):
    print('pack', tensor)
    return tensor.numpy().copy()
def unpack(kept):
    print('unpack', kept)
    return torch.from_numpy(kept)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    b = a.exp()
loss = (b * b).sum()
loss.backward()
said(loss.backward)
""",
    "a recurrent net": """\
net = torch.nn.LSTM(3, 4)
out, (h, c) = net(torch.randn(5, 2, 3))
loss = out.square().sum() + h.sum()
loss.backward()
said(loss.backward)
seen.append([p.grad for p in net.parameters()])
""",
    "a small convolutional net": """\
net = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2), torch.nn.ReLU(),
                          torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(18, 3))
loss = torch.nn.functional.cross_entropy(net(torch.randn(2, 1, 8, 8)), torch.tensor([0, 2]))
loss.backward()
said(loss.backward)
seen.append([p.grad for p in net.parameters()])
""",
    "sparse, half and complex": """\
table = torch.nn.Embedding(5, 2, sparse=True)
table(torch.tensor([1, 1, 3])).sum().backward()
seen.append(table.weight.grad.to_dense())
h = torch.ones(2, dtype=torch.float16, requires_grad=True)
(h * h).sum().backward()
z = torch.tensor([1 + 2j], requires_grad=True)
(z * z.conj()).real.sum().backward()
""",
    "several outputs": """\
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
one, two = a.unbind()
values, _ = one.topk(2)
(values.sum() * two.prod()).backward()
""",
    "anomaly mode": """\
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    with torch.autograd.set_detect_anomaly(True):
        a = leaf(-1.0)
        loss = torch.sqrt(a) * 0
        said(loss.backward)
seen.append([str(w.message).split('\\n')[0] for w in caught])
""",
    "a leaf is the root": """\
a = leaf(2.0)
a.backward()
a.backward()
""",
    "stdout is redirected": """\
import contextlib, io
a = leaf(2.0)
b = a * a
b.register_hook(lambda grad: print('hidden', grad))
stream = io.StringIO()
with contextlib.redirect_stdout(stream):
    b.backward()
    print('in there')
seen.append(stream.getvalue())
""",
    "an error is chained": """\
a = leaf(2.0)
b = a * a
b.backward()
try:
    b.backward()
except RuntimeError as error:
    seen.append((error.__cause__, error.__context__))
    raise ValueError('mine') from error
""",
    "inside except": """\
a = leaf(2.0)
b = a * a
b.register_hook(lambda grad: 1 / 0)
try:
    raise KeyError('first')
except KeyError as first:
    try:
        b.backward()
    except ZeroDivisionError as second:
        seen.append(second.__context__ is first)
""",
    "a compiled function": """\
@torch.compile(backend='aot_eager')
def function(x, w):
    return torch.relu(x @ w).exp().sum()
x, w = torch.randn(2, 3), torch.randn(3, 3, requires_grad=True)
# Its backward is compiled now, for graphs that are not retained.
seen.append(torch.autograd.grad(function(x, w), w))
loss = function(x, w)
loss.backward()
said(loss.backward)
""",
    "warnings about compiled code": """\
torch._dynamo.reset()
getattr(torch._dynamo.utils, 'warn_once_cache', set()).clear()
model = torch.nn.Linear(2, 2)
function = torch.compile(model, backend='eager')
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter('always')
    function(torch.ones(1, 2)).sum().backward()
seen.extend(str(warning.message) for warning in caught)
""",
    "a subclass of Tensor": """\
class Mine(torch.Tensor):
    pass
a = torch.tensor([1.0, 2.0]).as_subclass(Mine).requires_grad_()
loss = (a * a).sum()
loss.backward()
seen.append(type(a.grad).__name__)
said(loss.backward)
""",
    "everything is dropped": """\
a = leaf(2.0)
loss = a * a
loss.backward()
del loss
gc.collect()
seen.append(a.grad)
""",
    "a module of the user's": """\
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(2))
    def forward(self, x):
        self.last = x * self.w
        self.last.retain_grad()
        return self.last.sum()
    def learn(self, x):
        self(x).backward()
        return self.last.grad
net = Net()
seen.append(net.learn(torch.tensor([1.0, 2.0])))
seen.append(net.w.grad)
""",
}
