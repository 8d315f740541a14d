from __future__ import annotations

import io
import subprocess
import sys
import warnings

import pytest
import torch

import hookviz
from hookviz._view.plot.norms import leaf_stations, stations_to
from hookviz.errors import MissingPackageError, UnknownTargetError


def network() -> tuple[dict[str, torch.Tensor], hookviz.Trace]:
    """Return tensors and a recorded pass in which one hook rewrites the gradient of `hidden`."""
    x = torch.rand(5, 80)
    w = torch.rand(80, 3, requires_grad=True)
    b = torch.rand(3, requires_grad=True)
    hidden = x @ w
    hidden.retain_grad()
    hidden.register_hook(lambda grad: grad * 100)
    loss = ((hidden + b) ** 2).sum()
    return {"w": w, "b": b, "hidden": hidden}, hookviz.record(loss)


def test_norms_of_leaves_are_those_of_their_grads() -> None:
    tensors, trace = network()
    stations = {station.label: station for station in leaf_stations(trace.graph, trace.events)}
    assert list(stations) == ["b", "w"]
    for name, station in stations.items():
        grad = tensors[name].grad
        assert grad is not None
        assert station.used == pytest.approx(grad.norm().item(), rel=1e-5)
        assert not station.is_rewritten


def test_a_rewrite_shows_on_the_way() -> None:
    tensors, trace = network()
    target = trace.graph.find("w")
    assert target is not None
    way = stations_to(trace.graph, trace.events, target)
    assert way[0].label == "loss"
    assert way[-1].label == "w"
    (hidden,) = [station for station in way if station.label == "hidden"]
    assert hidden.arrived is not None
    assert hidden.used == pytest.approx(hidden.arrived * 100, rel=1e-5)
    assert tensors["hidden"].grad is not None
    assert hidden.used == pytest.approx(tensors["hidden"].grad.norm().item(), rel=1e-5)


def test_the_longest_way_is_shown() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    b = a * 3
    c = b * 4
    trace = hookviz.record(c + a)
    target = trace.graph.find("a")
    assert target is not None
    assert [s.label for s in stations_to(trace.graph, trace.events, target)][-3:] == ["c", "b", "a"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", [None, "w"])
def test_the_figure_shows_the_norms(name: str | None, lang: str) -> None:
    _, trace = network()
    figure = trace.plot(name, lang=lang)
    (axes,) = figure.axes
    assert len(axes.lines[0].get_xdata()) == len(axes.get_xticklabels())  # type: ignore[arg-type]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a character without a glyph warns
        figure.savefig(io.BytesIO(), format="png")


def test_a_notebook_shows_the_figure_where_it_is_returned() -> None:
    _, trace = network()
    figure = trace.plot()
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    pyplot = pytest.importorskip("matplotlib.pyplot")
    assert pyplot.get_fignums() == []


def test_names_are_text() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    root = a * 3
    trace = hookviz.record(root, names={"$\\frac{": a, "<b>": root})
    trace.plot().savefig(io.BytesIO(), format="svg")


def test_an_unknown_tensor_is_refused() -> None:
    _, trace = network()
    with pytest.raises(UnknownTargetError):
        trace.plot("nobody")


def test_without_matplotlib_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    _, trace = network()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingPackageError, match="pip install matplotlib"):
        trace.plot()


def test_importing_hookviz_does_not_load_matplotlib() -> None:
    code = "import sys, hookviz; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
