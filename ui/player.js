// Drives the frames of a plotly figure: play, pause, step, slider, keyboard.
// Streamlit may call this again with every rerun, on the same parentElement: the same figure keeps its player.

const TYPING = 'input, textarea, select, [contenteditable="true"], [role="slider"], [role="combobox"], [role="listbox"], [role="grid"], [role="tab"], [role="radio"]'
const PRESSED_BY_SPACE = 'button, a, summary, [role="button"]'
const WATCH = 120 // milliseconds between looks whether the figure was replaced
const AT_ONCE = 1 // milliseconds; plotly moves an axis in no time to nowhere
const SETTLE = 250 // milliseconds without a step before the page is told

const remembered = new Map() // figure -> step: a player that Streamlit mounts again before the page was told goes on there

export default function ({ data, parentElement, setStateValue }) {
  let player = parentElement.player
  if (player?.figure !== data.figure) {
    player?.stop()
    player = parentElement.player = createPlayer(data, parentElement, setStateValue)
  }
  player.start()
  return () => player.stop()
}

function createPlayer(data, root, setStateValue) {
  const part = name => root.querySelector(`[data-part="${name}"]`)
  const last = data.captions.length - 1
  let at = remembered.get(data.figure) ?? data.at
  let told = data.at // the step that the page knows of
  let playing = null
  let telling = null
  let watching = null
  let sliding = null // the picture, to where the camera will be

  const graph = () => {
    const found = document.querySelector(`.st-key-${data.chart} .js-plotly-plot`)
    return found?._transitionData?._frames?.length === last + 1 ? found : null
  }

  // Streamlit may draw a figure anew, with data of its own: then it shows the last step.
  const shownBy = figure => (figure.shown?.data === figure.data ? figure.shown.at : last)

  function draw(milliseconds) {
    const figure = graph()
    if (!figure) return
    const frame = onTheWay(figure._transitionData._frames, shownBy(figure), at)
    const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? AT_ONCE : milliseconds
    const camera = frame.layout.xaxis.range
    const isMoved = String(camera) !== String(figure.layout.xaxis.range)
    if (isMoved && duration > AT_ONCE && !sliding) {
      sliding = slide(figure, camera, duration)
      sliding.onfinish = () => draw(AT_ONCE)
    } else show(figure, frame, isMoved ? AT_ONCE : duration)
    scroll(figure)
  }

  function show(figure, frame, duration) {
    figure.shown = { data: figure.data, at }
    letItEnd(figure)
    const transition = { duration, easing: 'cubic-in-out' }
    const options = { mode: 'immediate', frame: { duration, redraw: false }, transition }
    const slid = sliding
    sliding = null
    slid?.pause() // until the new picture is there
    window.Plotly.animate(figure, frame, options)
      .catch(() => {}) // rejected when the next step interrupts it
      .finally(() => slid?.cancel())
  }

  function scroll(figure) {
    const scroller = figure.closest(`.st-key-${data.chart}`)
    const room = scroller.scrollWidth - scroller.clientWidth
    if (room > 0) scroller.scrollTo({ left: data.focus[at] * scroller.scrollWidth - scroller.clientWidth * 0.7, behavior: 'smooth' })
  }

  function label() {
    part('slider').max = last
    part('slider').value = at
    part('slider').setAttribute('aria-valuetext', data.captions[at])
    part('caption').textContent = data.captions[at]
    part('play').querySelector('path').setAttribute('d', playing ? data.icons.pause : data.icons.play)
    part('play').title = playing ? 'Pause (space)' : 'Play (space)'
    part('play').setAttribute('aria-label', part('play').title)
    for (const name of ['first', 'back']) part(name).disabled = at === 0
    for (const name of ['next', 'last']) part(name).disabled = at === last
  }

  function go(to, milliseconds = data.milliseconds * 0.65) {
    at = Math.max(0, Math.min(last, to))
    remembered.set(data.figure, at)
    draw(milliseconds)
    label()
    if (!playing) tell()
  }

  function tell() {
    clearTimeout(telling)
    telling = setTimeout(() => {
      if (playing || at === told || !root.isConnected) return
      told = at
      setStateValue('shown', { figure: data.figure, at })
    }, SETTLE)
  }

  function pause() {
    clearInterval(playing)
    playing = null
    go(at, AT_ONCE)
  }

  function play() {
    if (at === last) go(0, AT_ONCE)
    playing = setInterval(() => (at === last || !root.isConnected ? pause() : go(at + 1)), data.milliseconds)
    go(at === 0 ? 0 : at + 1)
  }

  const byHand = to => { if (playing) pause(); go(to) }
  const toggle = () => (playing ? pause() : play())

  function onKey(event) {
    const target = event.composedPath()[0]
    if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (!(target instanceof Element) || target.closest(TYPING)) return
    if (event.key === ' ' && target.closest(PRESSED_BY_SPACE)) return
    const action = { ArrowLeft: () => byHand(at - 1), ArrowRight: () => byHand(at + 1), ' ': toggle }[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  return {
    figure: data.figure,
    start() {
      this.stop()
      part('first').onclick = () => byHand(0)
      part('back').onclick = () => byHand(at - 1)
      part('play').onclick = toggle
      part('next').onclick = () => byHand(at + 1)
      part('last').onclick = () => byHand(last)
      part('slider').oninput = event => byHand(Number(event.target.value))
      document.addEventListener('keydown', onKey)
      watching = setInterval(() => { if (!sliding && graph() && shownBy(graph()) !== at) draw(AT_ONCE) }, WATCH)
      label()
      if (!playing) tell()
    },
    stop() {
      clearInterval(watching)
      document.removeEventListener('keydown', onKey)
    },
  }
}

// Plotly would move the camera by drawing all at every moment, and move it back when interrupted: the picture
// slides instead, and is then drawn anew.
function slide(figure, [low, high], duration) {
  const { l: left, w: width } = figure._fullLayout._size
  const [from, to] = figure.layout.xaxis.range
  const scale = (to - from) / (high - low)
  const shift = left * (1 - scale) + (width * (from - low)) / (high - low)
  const frames = { transformOrigin: ['0 0', '0 0'], transform: ['none', `translateX(${shift}px) scaleX(${scale})`] }
  return figure.querySelector('.svg-container').animate(frames, { duration, easing: 'ease-in-out', fill: 'forwards' })
}

// One frame that does what all frames on the way from one step to another do: each holds only what changes.
function onTheWay(frames, from, to) {
  const traces = new Map()
  const shapes = []
  const direction = Math.sign(to - from)
  for (let k = from; k !== to; ) {
    k += direction
    frames[k].traces.forEach((trace, i) => traces.set(trace, merged(traces.get(trace), frames[k].data[i])))
    frames[k].layout.shapes.forEach((shape, i) => { shapes[i] = merged(shapes[i], shape) })
  }
  return { data: [...traces.values()], traces: [...traces.keys()], layout: { ...frames[to].layout, shapes } }
}

function merged(before = {}, after) {
  const both = { ...before, ...after }
  for (const name of ['marker', 'line']) {
    if (before[name] && after[name]) both[name] = merged(before[name], after[name])
  }
  return both
}

// Streamlit may take a graph away in the middle of a transition; plotly then still wants to say that it is over.
function letItEnd(figure) {
  const prototype = Object.getPrototypeOf(figure)
  if (!prototype.emit) Object.setPrototypeOf(figure, Object.create(prototype, { emit: { value() {}, writable: true } }))
}
