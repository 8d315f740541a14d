"""Offer the captured graph to users: plain data that also shows itself."""

from __future__ import annotations

from typing import Any

from hookviz._records import GraphRecord


class Graph(GraphRecord, frozen=True, kw_only=True):
    """An autograd graph, nothing run; in a notebook it displays as a picture.

    Example:
        >>> import torch, hookviz
        >>> a = torch.tensor(2.0, requires_grad=True)
        >>> print(hookviz.capture(a * 3).text())
        n0 MulBackward0 -> n1, None
        n1 AccumulateGrad (leaf a)
    """

    @classmethod
    def _of(cls, record: GraphRecord) -> Graph:
        """Offer a finished record."""
        return cls(**{name: getattr(record, name) for name in record.__struct_fields__})

    def text(self) -> str:
        """Return one line per node, in the order of the walk: id, name, and where it sends to.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> print(hookviz.capture(a + a).text())
            n0 AddBackward0 -> n1, n1
            n1 AccumulateGrad (leaf a)
        """
        targets = {edge.id: edge.target for edge in self.edges}
        labels = {tensor.id: tensor.label for tensor in self.tensors}
        lines = []
        for node in self.nodes:
            line = f"{node.id} {node.name}"
            if node.leaf is not None:
                line += f" (leaf {labels[node.leaf]})"
            elif node.edges:
                line += " -> " + ", ".join("None" if e is None else targets[e] for e in node.edges)
            lines.append(line)
        return "\n".join(lines)

    def __repr__(self) -> str:
        if not self.tensors:
            return f"Graph(no tensor: {len(self.calls)} calls of modules)"
        return f"Graph({self.root.label}: {len(self.nodes)} nodes, {len(self.edges)} edges)"

    def svg(self, lang: str | None = None) -> str:
        """Return the picture as the text of an SVG file; a deep network is shown folded.

        Args:
            lang: `"en"` (the default) or `"zh"`.

        Returns:
            The whole text, for a file or a page.

        Example:
            >>> a = torch.tensor(2.0, requires_grad=True)
            >>> hookviz.capture(a * 3).svg()[:4]
            '<svg'
        """
        from hookviz._view.groups.find import group_tree
        from hookviz._view.steps.steps import still_steps
        from hookviz._view.svg.picture import picture_svg

        steps, tree = still_steps(self), group_tree(self)
        return picture_svg(self, steps, step=0, lang=lang or "en", standalone=True, tree=tree)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}
