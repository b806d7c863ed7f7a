"""The import rules of the design: data flows one way, and so do imports."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# What the modules below a place may import of the project; a place may always import itself.
ALLOWED = {
    "app": ["ui", "ppe_core"],
    "pages": ["ui", "ppe_core.config", "ppe_core.experiments", "ppe_core.figures", "ppe_core.theory"],
    "ui": ["ppe_core"],
    "ppe_core.layouts": [],
    "ppe_core.tables": [],
    "ppe_core.config": ["ppe_core.layouts", "ppe_core.tables"],
    "ppe_core.seeding": [],
    "ppe_core.metrics": [],
    "ppe_core.envs": ["ppe_core.config", "ppe_core.layouts", "ppe_core.seeding", "ppe_core.tables"],
    "ppe_core.nets": ["ppe_core.config", "ppe_core.seeding"],
    "ppe_core.ppe": ["ppe_core.config", "ppe_core.seeding", "ppe_core.envs.base", "ppe_core.nets"],
    "ppe_core.planning": ["ppe_core.envs.base", "ppe_core.nets"],
    "ppe_core.baselines": ["ppe_core.config", "ppe_core.seeding", "ppe_core.envs.base", "ppe_core.nets",
                           "ppe_core.planning"],
    "ppe_core.theory": ["ppe_core.config", "ppe_core.envs", "ppe_core.ppe.eliminate", "ppe_core.ppe.gaps",
                        "ppe_core.ppe.paths"],
    "ppe_core.experiments": ["ppe_core"],
    "ppe_core.figures": ["ppe_core.experiments.records", "ppe_core.experiments.paper.points"],
    "ppe_core.__main__": ["ppe_core"],
    "ppe_core": [],
}  # fmt: skip

# Third parties that a place must not import.
FORBIDDEN = {
    "ppe_core": ["streamlit"],
    "ppe_core.figures": ["streamlit", "torch"],
    "ppe_core.metrics": ["streamlit", "torch"],
    "ppe_core.envs": ["streamlit", "torch"],
    "ppe_core.config": ["streamlit", "torch", "numpy"],
    "ppe_core.experiments.records": ["torch"],
    "ppe_core.experiments.store": ["torch"],
    "pages": ["torch"],
    "ui": ["torch"],
}


def modules() -> dict[str, Path]:
    files = [ROOT / "app.py", *(f for place in ("pages", "ui", "ppe_core") for f in (ROOT / place).rglob("*.py"))]
    names = {}
    for file in files:
        parts = file.relative_to(ROOT).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return names


def imports(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide where an arrow points"
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def inside(module: str, place: str) -> bool:
    return module == place or module.startswith(f"{place}.")


def breaches(module: str, imported: set[str]) -> list[str]:
    """The imports of a module that the rules do not allow."""
    place = max((p for p in ALLOWED if inside(module, p)), key=len)
    local = {name for name in imported if any(inside(name, top) for top in ("app", "pages", "ui", "ppe_core"))}
    allowed = [place, *ALLOWED[place]] if place != "ppe_core" else []
    # `from ppe_core.envs import base` names both ppe_core.envs and ppe_core.envs.base: one allowed name is enough.
    wrong = [n for n in local if not any(inside(n, a) or inside(a, n) for a in allowed)]
    banned = [name for p, names in FORBIDDEN.items() if inside(module, p) for name in names]
    return wrong + [name for name in imported if any(inside(name, ban) for ban in banned)]


@pytest.mark.parametrize("module", modules())
def test_imports_point_the_way_of_the_design(module: str) -> None:
    assert breaches(module, imports(modules()[module])) == []


@pytest.mark.parametrize(
    ("module", "imported"),
    [
        ("ppe_core.envs.lock", "ppe_core.ppe.learner"),
        ("ppe_core.metrics", "torch"),
        ("ppe_core.figures.river", "streamlit"),
        ("ppe_core.ppe.learner", "ppe_core.envs.lock"),
        ("ppe_core.nets.training", "ppe_core.ppe.gaps"),
        ("pages.explore", "ppe_core.envs.lock"),
        ("ppe_core.baselines.homer", "ppe_core.ppe.learner"),
    ],
)
def test_a_wrong_import_is_noticed(module: str, imported: str) -> None:
    assert breaches(module, {imported}) == [imported]


def test_the_page_process_can_do_without_torch() -> None:
    """Records, the store, jobs and what pages draw with; importing them must not import torch."""
    import subprocess
    import sys

    code = (
        "import sys, ppe_core.experiments.jobs, ppe_core.experiments.records, ui.theory.infinite, ui.theory.planning;"
        "sys.exit('torch was imported' if 'torch' in sys.modules else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
