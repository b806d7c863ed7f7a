"""The sidebar, from top to bottom."""

from ui import controls, live, presets, share


def show() -> None:
    controls.open_link()
    live.start_if_quick()  # first, so that it computes while the page is drawn
    presets.show()
    controls.show()
    live.show()
    share.show()
