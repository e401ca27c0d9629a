"use strict";
// Steps through executions. A page without this script shows the same, at once.
(() => {
  const walks = [];

  class Walk {
    constructor(section) {
      this.section = section;
      this.rows = [...section.querySelectorAll(".steps tbody tr")];
      this.lines = new Map([...section.querySelectorAll("li[data-line]")].map((item) => [item.dataset.line, item]));
      this.output = section.querySelector("output");
      this.at = this.rows.length - 1;
      this.buttons = [...section.querySelectorAll("button[data-go]")];
      for (const button of this.buttons) button.addEventListener("click", () => this.go(button.dataset.go));
      this.rows.forEach((row, number) => row.addEventListener("click", () => this.show(number)));
      section.addEventListener("focusin", () => { active = this; });
      section.addEventListener("pointerdown", () => { active = this; });
      section.querySelector(".controls").hidden = false;
      section.classList.add("stepping");
      this.show(this.at, { scroll: false });
    }

    go(where) {
      const last = this.rows.length - 1;
      const target = { first: 0, back: this.at - 1, forward: this.at + 1, last }[where];
      this.show(Math.max(0, Math.min(last, target)));
    }

    show(number, { scroll = true } = {}) {
      this.at = number;
      const done = new Set();
      const made = new Set();
      this.rows.forEach((row, index) => {
        row.classList.toggle("past", index < number);
        row.classList.toggle("now", index === number);
        if (row.dataset.event !== undefined) {
          made.add(row.dataset.event);
          if (index <= number) done.add(row.dataset.event);
        }
      });
      const row = this.rows[number];
      const is_later = (event) => made.has(event) && !done.has(event);
      for (const group of this.section.querySelectorAll("svg [data-event]")) {
        group.classList.toggle("later", is_later(group.dataset.event));
        group.classList.toggle("now", group.dataset.event === row.dataset.event);
      }
      for (const edge of this.section.querySelectorAll("svg [data-source]")) {
        edge.classList.toggle("later", is_later(edge.dataset.source) || is_later(edge.dataset.target));
      }
      for (const part of this.section.querySelectorAll(".source .now")) part.classList.remove("now");
      const line = this.lines.get(row.dataset.line);
      if (line) {
        const cell = line.querySelector(`[data-column="${row.dataset.column}"]`);
        (cell ?? line).classList.add("now");
        const box = line.parentElement;
        if (scroll && (line.offsetTop < box.scrollTop + box.offsetTop ||
                       line.offsetTop > box.scrollTop + box.offsetTop + box.clientHeight - 20)) {
          box.scrollTop = line.offsetTop - box.offsetTop - box.clientHeight / 2;
        }
      }
      this.output.textContent = `step ${number + 1} of ${this.rows.length}: ${row.lastElementChild.textContent}`;
      for (const button of this.buttons) {
        const back = button.dataset.go === "first" || button.dataset.go === "back";
        button.disabled = back ? number === 0 : number === this.rows.length - 1;
      }
    }
  }

  let active = null;
  for (const section of document.querySelectorAll(".witness")) {
    if (section.querySelector(".steps tbody tr")) walks.push(new Walk(section));
  }
  active = walks[0] ?? null;
  const keys = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (!active || event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
    event.preventDefault();
    active.go(keys[event.key]);
  });
})();
