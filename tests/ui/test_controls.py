"""The controls, the sidebar and the app as scripts, without a browser."""

import subprocess
import sys
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ppe_core.config import RunConfig
from ppe_core.experiments.limits import Limits
from ppe_core.experiments.presets import PRESETS, first_of, named
from ui.fields import PAGE_RANGES

ROOT = Path(__file__).parents[2]


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The controls by themselves: from its second run on AppTest leaves out what surrounds st.navigation."""
    monkeypatch.setenv("PPE_HOME", str(tmp_path))
    return AppTest.from_function(_controls, default_timeout=30)


def _controls() -> None:
    from ui import controls, sidebar

    sidebar.show()
    controls.show_link_problems()


def link_of(app: AppTest) -> RunConfig:
    return RunConfig.from_flat({name: _last(value) for name, value in app.query_params.items() if name != "v"})


def _last(value: str | list[str]) -> str:
    return value if isinstance(value, str) else value[-1]


def button(app: AppTest, label: str):
    return next(b for b in app.button if b.label == label)


def test_the_link_always_holds_every_setting(app: AppTest) -> None:
    app.run()
    assert link_of(app) == RunConfig()
    assert set(app.query_params) == {"v", *RunConfig().flat()}
    app.slider(key="control_horizon").set_value(9).run()
    assert link_of(app) == RunConfig.from_flat({"horizon": 9})


def test_new_seed_and_reset(app: AppTest) -> None:
    app.query_params["horizon"] = "8"
    app.run()
    button(app, "New seed").click().run()
    assert link_of(app) == RunConfig.from_flat({"horizon": 8, "seed": 1})
    button(app, "Reset").click().run()
    assert link_of(app) == RunConfig()


@pytest.mark.parametrize("name", PAGE_RANGES)
def test_a_link_cannot_leave_the_ranges_of_the_page(app: AppTest, name: str) -> None:
    high = {"horizon": 200, "samples": 1_000_000, "noise": 10, "exo_dim": 1000, "max_paths": 5000}[name]
    app.query_params[name] = str(high)
    app.run()
    assert not app.exception
    assert name.replace("_", "\\_") in app.warning[0].value
    assert link_of(app).flat()[name] == PAGE_RANGES[name][1]


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
    assert link_of(app) == first_of("grid").config
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


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_sets_all_controls_and_says_what_to_look_at(app: AppTest, preset) -> None:
    app.query_params["env"] = "lock" if preset.name == "Gridworld" else "grid"
    app.run()
    app.selectbox(key="preset").set_value(preset.name).run()
    assert not app.exception
    assert link_of(app) == preset.config
    assert preset.look_at in [caption.value for caption in app.caption]


def test_a_preset_is_a_starting_point(app: AppTest) -> None:
    app.run()
    app.selectbox(key="preset").set_value("Deeper").run()
    app.slider(key="control_noise").set_value(0.3).run()
    assert app.selectbox(key="preset").value == "Deeper"
    assert any("Changed" in caption.value and "0\\.3" in caption.value for caption in app.caption)
    button(app, "Reset").click().run()
    assert link_of(app) == named("Deeper").config
    assert not any("Changed" in caption.value for caption in app.caption)


def test_a_link_to_a_preset_is_recognised(app: AppTest) -> None:
    app.query_params |= {"gap": "paper"}
    app.run()
    assert app.selectbox(key="preset").value == "Paper gap against signature gap"


class Jobs:
    """Stands for the workers: notes what is started."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.limits = Limits()
        self.started: list[RunConfig] = []

    def estimate(self, config: RunConfig) -> float:
        return self.seconds

    def status(self, config: RunConfig) -> None:
        return None

    def submit(self, configs: list[RunConfig], visitor: str) -> None:
        self.started += configs


def stand_in(monkeypatch: pytest.MonkeyPatch, seconds: float) -> Jobs:
    jobs = Jobs(seconds)
    monkeypatch.setattr("ui.jobs.pool", lambda: jobs)
    return jobs


def test_in_live_mode_a_changed_control_runs_what_is_quick(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = stand_in(monkeypatch, seconds=0.4)
    app.run()
    app.run()
    assert jobs.started == []  # nothing runs at load
    app.slider(key="control_horizon").set_value(4).run()
    assert jobs.started == [RunConfig.from_flat({"horizon": 4})]


def test_a_link_without_a_result_does_not_run_by_itself(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = stand_in(monkeypatch, seconds=0.1)
    app.query_params["seed"] = "9"
    app.run()
    app.run()
    assert jobs.started == []


def test_what_takes_longer_waits_for_run(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = stand_in(monkeypatch, seconds=0.6)
    app.run()
    app.slider(key="control_horizon").set_value(4).run()
    assert jobs.started == []
    button(app, "Run").click().run()
    assert jobs.started == [RunConfig.from_flat({"horizon": 4})]


def test_without_live_mode_everything_waits_for_run(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = stand_in(monkeypatch, seconds=0.1)
    app.run()
    app.toggle(key="live").set_value(False).run()
    app.slider(key="control_horizon").set_value(4).run()
    assert jobs.started == []
    app.toggle(key="live").set_value(True).run()
    assert jobs.started == [RunConfig.from_flat({"horizon": 4})]


def test_a_bundled_preset_is_not_run_by_itself(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = stand_in(monkeypatch, seconds=0.1)
    app.run()
    app.selectbox(key="preset").set_value("Deeper").run()
    assert jobs.started == []


OTHER_VALUES = {"emission": "gaussian", "gap": "paper", "recipe": "paper", "sampling": "iid", "decoder": "printed",
                "layout": "maze", "absorbing": True, "distractor": "ghost", "ellipse_style": "filled",
                "max_paths": 900}  # fmt: skip


CONTROLS = [
    (environment, name) for environment in ("lock", "exo-lock", "grid") for name in first_of(environment).config.flat()
    if name not in ("env", "learner")
]  # fmt: skip


@pytest.mark.parametrize(("environment", "name"), CONTROLS)
def test_every_control_changes_its_own_setting_and_no_other(app: AppTest, environment: str, name: str) -> None:
    app.query_params["env"] = environment
    app.run()
    before = link_of(app)
    value = before.flat()[name]
    other = OTHER_VALUES[name] if name in OTHER_VALUES else value + (1 if isinstance(value, int) else 0.05)
    kinds = (app.slider, app.number_input, app.selectbox, app.toggle)
    next(x for kind in kinds for x in kind if x.key == f"control_{name}").set_value(other).run()
    assert not app.exception
    assert link_of(app) == before.replace(**{name: other})
