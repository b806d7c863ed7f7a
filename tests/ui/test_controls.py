"""The controls and the app as scripts, without a browser."""

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ppe_core.config import RunConfig
from ui import controls

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The controls by themselves: from its second run on AppTest leaves out what surrounds st.navigation."""
    monkeypatch.setenv("PPE_HOME", str(tmp_path))
    return AppTest.from_function(_controls, default_timeout=30)


def _controls() -> None:
    from ui import controls

    controls.show()
    controls.show_link_problems()


def link_of(app: AppTest) -> RunConfig:
    return RunConfig.from_flat({name: _last(value) for name, value in app.query_params.items()})


def _last(value: str | list[str]) -> str:
    return value if isinstance(value, str) else value[-1]


def button(app: AppTest, label: str):
    return next(b for b in app.button if b.label == label)


def test_the_link_always_holds_every_setting(app: AppTest) -> None:
    app.run()
    assert link_of(app) == RunConfig()
    assert set(app.query_params) == set(RunConfig().flat())
    app.slider(key="control_horizon").set_value(9).run()
    assert link_of(app) == RunConfig.from_flat({"horizon": 9})


def test_new_seed_and_reset(app: AppTest) -> None:
    app.query_params["horizon"] = "8"
    app.run()
    button(app, "New seed").click().run()
    assert link_of(app) == RunConfig.from_flat({"horizon": 8, "seed": 1})
    button(app, "Reset").click().run()
    assert link_of(app) == RunConfig()


@pytest.mark.parametrize("name", controls.PAGE_RANGES)
def test_a_link_cannot_leave_the_ranges_of_the_page(app: AppTest, name: str) -> None:
    high = {"horizon": 200, "samples": 1_000_000, "noise": 10, "exo_dim": 1000, "max_paths": 5000}[name]
    app.query_params[name] = str(high)
    app.run()
    assert not app.exception
    assert name.replace("_", "\\_") in app.warning[0].value
    assert link_of(app).flat()[name] == controls.PAGE_RANGES[name][1]


def test_the_message_about_a_link_goes_when_the_visitor_moves_on(app: AppTest) -> None:
    app.query_params["noise"] = "loud"
    app.run()
    assert len(app.warning) == 1
    app.slider(key="control_horizon").set_value(9).run()
    assert len(app.warning) == 0


def test_noise_is_off_for_emissions_without_any(app: AppTest) -> None:
    app.query_params["emission"] = "bernoulli"
    app.run()
    assert app.slider(key="control_noise").disabled
    assert link_of(app).environment.noise == 0


def test_the_page_process_never_imports_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from streamlit.testing.v1 import AppTest;"
        "app = AppTest.from_file('app.py', default_timeout=30).run();"
        "assert app.title and not app.exception;"
        "sys.exit('torch was imported' if 'torch' in sys.modules else 0)"
    )
    environment = {"PPE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT, env=environment)


def test_the_environments_can_be_changed_there_and_back(app: AppTest) -> None:
    app.query_params["horizon"] = "30"
    app.run()
    app.selectbox(key="control_env").set_value("grid").run()
    assert not app.exception
    assert link_of(app) == controls.PRESETS["grid"]
    app.selectbox(key="control_env").set_value("lock").run()
    assert not app.exception
    assert link_of(app) == RunConfig()


DRAWING = "xxxxx/xS..x/x.L.x/x..Gx/xxxxx"


def test_a_drawn_layout_stays_on_offer(app: AppTest) -> None:
    app.query_params["env"], app.query_params["layout"] = "grid", DRAWING
    app.run()
    assert link_of(app).environment.layout == DRAWING
    app.selectbox(key="control_layout").set_value("maze").run()
    app.selectbox(key="control_layout").set_value(DRAWING).run()
    assert not app.exception
    assert link_of(app).environment.layout == DRAWING


def test_a_gridworld_link_keeps_to_the_ranges_of_the_page(app: AppTest) -> None:
    app.query_params |= {"env": "grid", "horizon": "11", "ellipses": "many", "absorbing": "on"}
    app.run()
    assert "ellipses" in app.warning[0].value
    assert "11 is outside the range 1 to 10" in app.warning[0].value
    assert link_of(app) == RunConfig.from_flat({"env": "grid", "horizon": 10, "absorbing": True})


def test_without_ellipses_their_controls_are_off_and_keep_their_values(app: AppTest) -> None:
    app.query_params["env"], app.query_params["distractor"] = "grid", "ghost"
    app.run()
    assert app.slider(key="control_ellipses").disabled
    app.selectbox(key="control_distractor").set_value("ellipses").run()
    assert link_of(app).environment.ellipses == 5
