"use strict";
(() => {
  const NO_VALUE = "–";
  const report = JSON.parse(document.getElementById("report-data").textContent);
  document.documentElement.classList.add("script");

  /** An element with a class and a text, put into another one. */
  function add(parent, name, className, text) {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  /** Light or dark: as the system says, until the button is pressed. */
  function theme() {
    const root = document.documentElement;
    const button = document.getElementById("theme");
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
    const name = () => { button.textContent = isDark() ? "light" : "dark"; };
    button.setAttribute("aria-label", "switch between light and dark");
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      name();
    });
    dark.addEventListener("change", name);
    name();
  }

  /** A stack is a chain of cells, so that the stacks of all steps share what is below. An entry is
   * a word, or a word and the number of its local variables. */
  function pushed(below, entries) {
    let top = below;
    for (let place = entries.length - 1; place >= 0; place--) {
      const [word, frame] = [entries[place]].flat();
      top = { word, frame, below: top, height: (top ? top.height : 0) + 1 };
    }
    return top;
  }

  /** The lowest cells of a stack, up to a height. */
  function topOf(stack, height) {
    let top = stack;
    while (top && top.height > height) top = top.below;
    return top;
  }

  /** The state after each step, from what each step changes. */
  function statesOf(trace) {
    let stacks = trace.stacks.map((entries) => pushed(null, entries));
    let values = trace.variables.map(([, value]) => value);
    const states = [{ stacks, values }];
    for (const [, , changedStacks, changedValues] of trace.steps) {
      if (changedStacks.length) {
        stacks = stacks.slice();
        for (const [lane, height, ...entries] of changedStacks) {
          stacks[lane] = pushed(topOf(stacks[lane], height), entries);
        }
      }
      if (changedValues.length) {
        values = values.slice();
        for (const [variable, value] of changedValues) values[variable] = value;
      }
      states.push({ stacks, values });
    }
    return states;
  }

  /** Scrolls inside a box only, so that the page stays where it is. As much of what follows the
   * element, up to `end`, is shown as fits. */
  function reveal(box, element, end = element) {
    const outer = box.getBoundingClientRect();
    const inner = element.getBoundingClientRect();
    const head = box.querySelector(".heads");
    const top = outer.top + (head ? head.offsetHeight : 0) + 8;
    const room = outer.bottom - 8 - top;
    const height = Math.min(room, end.getBoundingClientRect().bottom - inner.top);
    if (inner.top < top || inner.top + height > outer.bottom - 8) {
      box.scrollTop += inner.top - top - Math.max(0, (room - height) / 2.5);
    }
    if (inner.left < outer.left || inner.right > outer.right) {
      box.scrollLeft += inner.left - outer.left - Math.max(0, (outer.width - inner.width) / 2);
    }
  }

  /** One trace: the current step, and everything that shows it. */
  class Stepper {
    constructor(root, trace) {
      this.root = root;
      this.trace = trace;
      this.states = statesOf(trace);
      this.at = 0;
      this.rows = Array.from(root.querySelectorAll(".step"));
      this.controls = root.querySelector(".controls");
      this.stage = root.querySelector(".stage");
      this.diagram = root.querySelector(".diagram");
      this.ending = root.querySelector(".ending");
      this.pane = root.querySelector(".pane");
      this.panel = root.querySelector(".state");
      this.live = root.querySelector("[aria-live]");
      this.where = root.querySelector(".where");
      this.ran = new Map();
      trace.steps.forEach(([lane], step) => { if (!this.ran.has(lane)) this.ran.set(lane, step + 1); });
      this.controls.hidden = false;
      root.querySelector(".beside").hidden = false;
      this.listen();
      this.show(0, true);
    }

    get last() { return this.trace.steps.length; }

    listen() {
      for (const button of this.root.querySelectorAll("[data-go]")) {
        button.addEventListener("click", () => this.go(button.dataset.go));
      }
      for (const button of this.root.querySelectorAll("[data-fold]")) {
        button.addEventListener("click", () => {
          for (const block of this.diagram.querySelectorAll("details")) {
            block.open = button.dataset.fold === "open";
          }
        });
      }
      this.diagram.addEventListener("click", (event) => {
        const row = event.target.closest(".step");
        if (!row) return;
        event.preventDefault();
        this.show(Number(row.dataset.step));
      });
    }

    go(where) {
      const moves = {
        first: () => 0,
        back: () => this.at - 1,
        next: () => this.at + 1,
        last: () => this.last,
        "context-back": () => this.contextBack(),
        "context-next": () => this.contextNext(),
      };
      this.show(Math.max(0, Math.min(this.last, moves[where]())));
    }

    lane(step) { return step ? this.trace.steps[step - 1][0] : -1; }

    /** The last step of the context that comes next, or of this one if it is not over. */
    contextNext() {
      let step = Math.min(this.last, this.at + 1);
      while (step < this.last && this.lane(step + 1) === this.lane(step)) step++;
      return step;
    }

    /** The last step of the context before this one. */
    contextBack() {
      let step = this.at;
      while (step > 0 && this.lane(step) === this.lane(this.at)) step--;
      return step;
    }

    show(step, quiet = false) {
      const row = this.rows[step];
      this.rows[this.at].classList.remove("current");
      this.rows[this.at].removeAttribute("aria-current");
      row.classList.add("current");
      row.setAttribute("aria-current", "step");
      this.fade(this.at, step);
      this.at = step;
      const block = row.closest("details");
      if (block) block.open = true;
      this.showSource(step ? this.trace.steps[step - 1][1] : null, quiet);
      this.showState(step);
      this.where.textContent = `step ${step} of ${this.last}`;
      for (const button of this.root.querySelectorAll("[data-go]")) {
        const back = ["first", "back", "context-back"].includes(button.dataset.go);
        button.setAttribute("aria-disabled", String(back ? step === 0 : step === this.last));
      }
      if (quiet) return;
      reveal(this.diagram, row, step === this.last ? this.ending : row);
      this.writeAddress(row);
      const who = step ? `${this.trace.lanes[this.lane(step)]}: ` : "";
      const words = Array.from(row.children, (child) => child.textContent).join(" ");
      this.live.textContent = `step ${step} of ${this.last}. ${who}${words || row.textContent}`;
    }

    get isOnScreen() {
      const box = this.rows[this.at].getBoundingClientRect();
      return box.top >= this.controls.offsetHeight && box.bottom <= innerHeight;
    }

    /** Scrolls the page to the trace. */
    bringIntoView() {
      const top = this.stage.getBoundingClientRect().top - this.controls.offsetHeight;
      scrollBy({ top, behavior: "instant" });
    }

    /** The address leads to the current step. Some browsers forbid this inside of other pages. */
    writeAddress(row) {
      try {
        history.replaceState(null, "", `#${row.id}`);
      } catch {
        return;
      }
    }

    /** Later steps are pale, except at the start. Only rows between two places change. */
    fade(before, now) {
      const end = before && now ? Math.max(before, now) : this.last;
      for (let step = Math.min(before, now); step <= end; step++) {
        this.rows[step].classList.toggle("later", now > 0 && step > now);
      }
    }

    showSource(anchor, quiet) {
      const line = anchor === null ? null : document.getElementById(anchor);
      const listing = line ? line.closest(".listing") : null;
      if (listing ? this.shown !== listing : !this.shown) this.copy(listing);
      if (this.line) this.line.classList.remove("current");
      this.line = line ? this.pane.querySelector(`[data-line="${anchor}"]`) : null;
      if (!this.line) return;
      this.line.classList.add("current");
      if (!quiet) reveal(this.pane, this.line);
    }

    /** The pane beside the diagram has a copy of the source, without its identities. */
    copy(listing) {
      const wanted = listing || document.querySelector("#source .listing");
      if (!wanted) return;
      this.shown = wanted;
      const code = wanted.querySelector(".code").cloneNode(true);
      for (const line of code.children) {
        line.dataset.line = line.id;
        line.removeAttribute("id");
      }
      this.pane.replaceChildren(code);
    }

    showState(step) {
      const { stacks, values } = this.states[step];
      const before = step ? this.states[step - 1].values : values;
      this.panel.replaceChildren();
      this.heading(this.trace.program ? "Global variables" : "Shared state");
      const list = add(this.panel, "ul", "variables globals");
      values.forEach((value, place) => {
        const [name] = this.trace.variables[place];
        this.variable(list, name, before[place], value, value !== before[place]);
      });
      if (!values.length) add(list, "li", "", "none");
      if (this.trace.program) this.showLocals(step, step ? stacks[this.lane(step)] : null);
      this.showStacks(step, stacks);
    }

    /** One level below the heading of the trace, which is deeper where there are several. */
    heading(text) {
      const level = this.root.querySelector("h2") ? 3 : 4;
      add(this.panel, "h4", "", text).setAttribute("aria-level", level);
    }

    variable(list, name, before, after, changed) {
      const item = add(list, "li", changed ? "changed" : "");
      add(item, "span", "name", name);
      const value = add(item, "span", "now");
      if (changed) add(value, "s", "", before ?? NO_VALUE);
      add(value, "b", after === null ? "unknown" : "", after ?? NO_VALUE);
    }

    /** All local variables of the thread that has just run, activation by activation. */
    showLocals(step, stack) {
      if (!step) {
        this.heading("Local variables");
        add(this.panel, "p", "none", "No thread has run yet.");
        return;
      }
      const lane = this.lane(step);
      this.heading(`Local variables of ${this.trace.lanes[lane]}`);
      const cells = [];
      for (let cell = stack; cell; cell = cell.below) {
        if (cell.frame !== undefined) cells.push(cell);
      }
      if (!cells.length) {
        add(this.panel, "p", "none", stack ? "none" : this.absence(step, lane));
        return;
      }
      const MOST = 12;
      for (const cell of cells.slice(0, MOST)) {
        if (stack.below) add(this.panel, "p", "activation", cell.word);
        this.frame(cell, new Map(cell === stack ? this.trace.steps[step - 1][4] : []));
      }
      if (cells.length > MOST) {
        add(this.panel, "p", "none", `and those of ${cells.length - MOST} more calls`);
      }
      if (this.panel.querySelector(".locals .unknown")) {
        const text = `${NO_VALUE} stands for any value, or for one that is never read again.`;
        add(this.panel, "p", "none", text);
      }
    }

    /** The variables of one activation; `changed` has those that the step changes, with their
     * values before. */
    frame(cell, changed) {
      const [names, ...values] = this.trace.frames[cell.frame];
      const list = add(this.panel, "ul", "variables locals");
      this.trace.names[names].forEach((name, place) => {
        this.variable(list, name, changed.get(name), values[place], changed.has(name));
      });
    }

    /** Why a thread of a program has no stack. */
    absence(step, lane) {
      const hasRun = step >= (this.ran.get(lane) ?? Infinity);
      return hasRun || this.trace.stacks[lane].length ? "finished" : "not started";
    }

    showStacks(step, stacks) {
      this.heading("Stacks, top first");
      const list = add(this.panel, "dl", "stacks");
      stacks.forEach((stack, lane) => {
        const running = step && lane === this.lane(step);
        add(list, "dt", running ? "running" : "waits", this.trace.lanes[lane]);
        const words = add(list, "dd", stack ? "" : "none");
        if (!stack) {
          words.textContent = this.trace.program ? this.absence(step, lane) : "empty";
          return;
        }
        add(words, "span", "top", stack.word);
        const below = [];
        for (let cell = stack.below; cell; cell = cell.below) below.push(cell.word);
        const hidden = below.length - 40;
        if (hidden > 0) below.splice(40, hidden, `… ${hidden} more`);
        if (below.length) words.append(` ‹ ${below.join(" ‹ ")}`);
      });
    }
  }

  const KEYS = {
    ArrowRight: "next", ArrowLeft: "back", j: "next", k: "back", Home: "first", End: "last",
  };

  /** Elements in which keys are for typing. Checkboxes do not count. */
  const TYPING = "input:not([type=checkbox]), textarea, select, [contenteditable]";

  /** Keys go to the trace that has the focus, or else to the one that fills most of the screen, or
   * else to the one that was stepped last. */
  function keys(steppers) {
    let last = steppers[0];
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      let where = KEYS[event.key];
      if (!where || !steppers.length || event.target.closest(TYPING)) return;
      if (event.shiftKey) where = { next: "context-next", back: "context-back" }[where] || where;
      last = steppers.find((one) => one.root.contains(event.target)) || mostSeen(steppers) || last;
      event.preventDefault();
      last.go(where);
      if (!last.isOnScreen) last.bringIntoView();
    });
  }

  /** The trace that fills most of the screen, if there is one. */
  function mostSeen(steppers) {
    const seen = (one) => {
      const box = one.stage.getBoundingClientRect();
      return Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
    };
    const best = steppers.reduce((one, other) => (seen(other) > seen(one) ? other : one));
    return seen(best) > 0 ? best : null;
  }

  /** An address such as `#trace-1-step-10` opens that step. */
  function addresses(steppers) {
    const open = () => {
      const [, identity, step] = /^#(trace-\d+)-step-(\d+)$/.exec(location.hash) || [];
      const stepper = steppers.find((one) => one.root.id === identity);
      if (!stepper || Number(step) > stepper.last) return;
      stepper.show(Number(step));
      stepper.bringIntoView();
    };
    addEventListener("hashchange", open);
    // When a page is loaded, the browser scrolls to the place itself, after this script has run.
    addEventListener("load", open);
    open();
  }

  /** The list of visible states: unpacked, searched, and shown a few at a time. */
  function visible(packed) {
    const list = document.getElementById("states");
    if (!list || !packed.rows) return;
    const more = document.getElementById("more-states");
    const search = document.getElementById("search");
    const matches = document.getElementById("matches");
    const rows = packed.rows.split("\n");
    const text = (row) => {
      const names = row.split(",").map(
        (number, place) => packed.names[packed.templates[place]][parseInt(number, 36)]);
      return `${names[0]} | ${names.slice(1).join(", ")}`;
    };
    const PAGE = 200;
    let found = [];
    let shown = 0;
    function showMore() {
      const some = document.createDocumentFragment();
      for (const place of found.slice(shown, shown + PAGE)) {
        const item = add(some, "li");
        item.value = place + 1;
        add(item, "code", "", text(rows[place]));
      }
      list.append(some);
      shown = Math.min(found.length, shown + PAGE);
      more.hidden = shown === found.length;
    }
    function start() {
      const wanted = search.value.toLowerCase().split(" ").filter(Boolean);
      found = [];
      rows.forEach((row, place) => {
        if (!wanted.length || wanted.every((word) => text(row).toLowerCase().includes(word))) {
          found.push(place);
        }
      });
      matches.textContent = wanted.length ? `${found.length.toLocaleString("en")} match` : "";
      list.replaceChildren();
      shown = 0;
      showMore();
    }
    search.closest("form").hidden = false;
    search.closest("form").addEventListener("submit", (event) => event.preventDefault());
    let waiting;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(start, 120);
    });
    more.addEventListener("click", showMore);
    start();
  }

  /** Parts that are folded on the screen are unfolded on paper. */
  function unfolding() {
    let closed = [];
    addEventListener("beforeprint", () => {
      closed = Array.from(document.querySelectorAll("details:not([open])"));
      for (const block of closed) block.open = true;
    });
    addEventListener("afterprint", () => {
      for (const block of closed) block.open = false;
    });
  }

  theme();
  const steppers = Object.entries(report.traces).map(
    ([identity, trace]) => new Stepper(document.getElementById(identity), trace));
  keys(steppers);
  addresses(steppers);
  if (report.visible) visible(report.visible);
  unfolding();
})();
