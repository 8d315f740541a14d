from __future__ import annotations

import pytest
from msgspec import structs
from msgspec.structs import replace

from hookviz._records import ErrorEvent, ErrorRecord, ModuleForwardEvent, TensorRecord
from hookviz._view.transcript import display_width, transcript
from tests.view.example import C_HOOK, plain_example, scalar, second_example
from tests.view.graphs import hidden, stray_leaf

EXPECTED = """\
Backward from e

 1  e             receives 1, backward starts here
 2  e             1 → 2 by hook lambda grad: grad * 2
 3  e             .grad keeps 2 (retain_grad)
 4  MulBackward0  sends 8 to c and 12 to d
 5  d             12 → 112 by hook lambda grad: grad + 100
 6  d             .grad None → 112
 7  c             8 → 10 by hook c_hook
                  | c_hook tensor(8.)
 8  c             10 unchanged by hook lambda grad: print("hello my grad is", grad)
                  | hello my grad is tensor(10.)
 9  c             .grad keeps 10 (retain_grad)
10  MulBackward0  sends 30 to a and 20 to b
11  a             .grad None → 30
12  b             .grad None → 20

.grad of each tensor, before → after
  e  None → 2
  c  None → 10
  d  None → 112
  a  None → 30
  b  None → 20"""


def test_the_worked_example_reads_from_top_to_bottom() -> None:
    assert transcript(*second_example()) == EXPECTED


def test_without_hooks_the_numbers_are_those_of_plain_backward() -> None:
    assert transcript(*plain_example()).splitlines()[-5:] == [
        "  e  None → None: computed, not kept",
        "  c  None → None: computed, not kept",
        "  d  None → 6",
        "  a  None → 12",
        "  b  None → 8",
    ]


def test_chinese_has_the_same_rows_and_numbers() -> None:
    lines = transcript(*second_example(), lang="zh").splitlines()
    assert len(lines) == len(EXPECTED.splitlines())
    assert lines[0] == "从 e 开始反向传播"
    assert lines[8] == " 7  c             8 → 10，钩子 c_hook"
    assert lines[9] == "                  | c_hook tensor(8.)"


def test_names_in_wide_characters_stay_in_their_column() -> None:
    graph, events = second_example()
    tensors = tuple(_rename(tensor, "c", "中间张量") for tensor in graph.tensors)
    renamed = tuple(structs.replace(e, tensor="中间张量") if e.tensor == "c" else e for e in events)
    lines = transcript(replace(graph, tensors=tensors), renamed).splitlines()
    starts = {display_width(line[: line.index(".grad")]) for line in lines if " .grad " in line}
    assert len(starts) == 1
    assert any("中间张量" in line for line in lines if " .grad " in line)
    arrows = {display_width(line[: line.index("→")]) for line in lines[-5:]}
    assert len(arrows) == 1


def _rename(tensor: TensorRecord, old: str, new: str) -> TensorRecord:
    return replace(tensor, names=(new,)) if tensor.names == (old,) else tensor


def test_printed_text_stays_as_it_is_under_its_event() -> None:
    graph, events = second_example()
    printed = structs.replace(events[6], printed="  first\n\n</script> 梯度\n")
    lines = transcript(graph, (*events[:6], printed, *events[7:])).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(" 7"))
    margin = " " * 18
    assert lines[start + 1 : start + 4] == [
        f"{margin}|   first",
        f"{margin}|",
        f"{margin}| </script> 梯度",
    ]


def test_the_final_grads_that_are_given_win_over_the_events() -> None:
    text = transcript(*second_example(), grads={"d": scalar(5)})
    assert "  d  None → 5" in text.splitlines()


def test_never_reached_and_an_old_grad_are_told_apart() -> None:
    graph, events = stray_leaf()
    assert transcript(graph, events).endswith("  w  None → None: never reached")
    tensors = tuple(replace(t, grad=scalar(9)) if t.id == "t2" else t for t in graph.tensors)
    old = transcript(replace(graph, tensors=tensors), events)
    assert old.endswith("  w  9    → 9, never reached")


def test_a_hidden_rewrite_stands_in_its_place() -> None:
    lines = transcript(*hidden()).splitlines()
    assert lines[4] == "3  u             4 → 28 by a hook that cannot be listed"


def test_an_error_shows_its_whole_message_once() -> None:
    graph, events = second_example()
    record = ErrorRecord(
        type="ValueError",
        message="boom\nsecond line",
        explanation="error.hook_raised",
        hook=C_HOOK,
        tensor="c",
    )
    error = ErrorEvent(index=6, tensor="c", hook=C_HOOK, error=record)
    lines = transcript(graph, (*events[:6], error), error=record).splitlines()
    assert lines[8:12] == [
        "7  c             ValueError raised by hook c_hook",
        "                 ! boom",
        "                 ! second line",
        "                 The error comes from the code of the hook itself.",
    ]
    assert sum("boom" in line for line in lines) == 1
    assert "  b  None → None: never reached" in lines


def test_an_error_that_no_event_tells_is_told_at_the_end() -> None:
    graph, events = second_example()
    record = ErrorRecord(type="KeyboardInterrupt", message="", explanation="error.interrupted")
    lines = transcript(graph, events[:6], error=record).splitlines()
    assert "Backward ended with KeyboardInterrupt" in lines
    assert "Backward was interrupted from the keyboard." in lines


def test_a_name_with_a_line_break_keeps_to_one_line() -> None:
    graph, events = plain_example()
    tensors = tuple(_rename(tensor, "d", "d\nx") for tensor in graph.tensors)
    named = structs.replace(events[2], tensor="d\nx")
    text = transcript(replace(graph, tensors=tensors), (*events[:2], named, *events[3:]))
    assert "  d\\nx  None → 6" in text.splitlines()


def test_no_line_ends_in_a_space_and_the_text_in_no_newline() -> None:
    text = transcript(*second_example())
    assert not text.endswith("\n")
    assert all(line == line.rstrip() for line in text.splitlines())


def test_a_graph_on_which_nothing_ran_says_so() -> None:
    graph, _ = plain_example()
    assert transcript(graph, ()) == "Backward from e\n\nnothing ran"


def test_a_forward_alone_has_no_list_of_grads() -> None:
    graph, _ = plain_example()
    forward = ModuleForwardEvent(index=0, module="fc")
    assert transcript(graph, (forward,)) == "Forward\n\n1  fc  forward: nothing changed"


@pytest.mark.parametrize(
    ("text", "width"), [("c", 1), ("梯度", 4), ("é", 1), ("e\u0301", 1), ("a\tb", 2), ("→…", 2)]
)
def test_width_counts_columns(text: str, width: int) -> None:
    assert display_width(text) == width
