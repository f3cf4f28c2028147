/* Shared by the calculators: a form whose inputs are copied from a GPU or entered by the reader, are kept in the address, and
   are recalculated on change. The script of each calculator calls `gpuledger.calculator(id, { copied, texts })`:
   `copied(gpu)` returns { input: { value, from } }, `texts(values, gpu, asCopied)` the texts for the elements with
   `data-text`. The tables are those of pipeline/website/components/calculator_data.py. */
(() => {
  "use strict";
  const { gettext } = window.gpuledger;
  const asAddress = (input) => window.gpuledger.address.asAddress(input);
  const isNumber = (input) => input.type === "number";
  const held = (input) => (!isNumber(input) ? input.value : input.value.trim() === "" ? null : Number(input.value));
  const short = (value) => String(typeof value === "number" ? Number(value.toPrecision(6)) : value ?? "");

  let tables = null;

  const calculatorTables = () => (tables ??= window.gpuledger.calculatorData && window.gpuledger.tablesOf(window.gpuledger.calculatorData));

  /* The value copied from a GPU, and its source. A different value is the reader's own. */
  function copyInto(input, { value, from }) {
    const text = short(value);
    if (isNumber(input)) input.defaultValue = text;
    else for (const option of input.options) option.defaultSelected = option.value === text;
    input.value = text;
    input.dataset.copiedFrom = from;
  }

  const spotOf = (form, input) => form.querySelector(`[data-from="${input.name}"]`);

  function showFrom(form, input) {
    const spot = spotOf(form, input);
    if (spot) spot.textContent = asAddress(input) === "" ? input.dataset.copiedFrom : gettext("your figure");
  }

  function start(form, rules) {
    const { complainOf, faults, recall, remember, standing } = window.gpuledger.address;
    const gpus = new Map(calculatorTables().gpu.map((gpu) => [gpu.gpu_id, gpu]));
    const inputs = [...form.elements].filter((input) => input.name);
    const picker = form.querySelector("[data-copies]");
    const others = inputs.filter((input) => input !== picker);
    const chosen = () => gpus.get(picker.value) ?? null;
    others.forEach((input) => { input.dataset.copiedFrom = spotOf(form, input)?.textContent ?? ""; });
    const first = new Map(others.map((input) => [input.name, { value: standing(input), from: input.dataset.copiedFrom }]));
    const copy = () => {
      const found = rules.copied(chosen(), form);
      const back = asAddress(picker) === "";
      for (const input of others.filter((one) => found[one.name] || asAddress(one) === "")) {
        copyInto(input, (back ? null : found[input.name]) ?? first.get(input.name));
      }
    };
    const update = () => {
      const wrong = faults(inputs.filter(isNumber));
      complainOf(form, wrong);
      others.forEach((input) => showFrom(form, input));
      if (wrong.length) return;
      remember(Object.fromEntries(inputs.map((input) => [input.name, asAddress(input)])));
      const values = Object.fromEntries(others.map((input) => [input.name, held(input)]));
      const texts = rules.texts(values, chosen(), (name) => asAddress(form.elements[name]) === "");
      for (const spot of form.querySelectorAll("[data-text]")) spot.textContent = texts[spot.dataset.text] ?? "";
    };
    recall([picker], form);
    copy();
    recall(others, form);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", (event) => { if (event.target === picker) copy(); update(); });
    update();
  }

  function begin(id, rules) {
    const form = document.getElementById(id);
    if (!form) return;
    if (calculatorTables()) start(form, rules);
    else window.gpuledger.address.tell(form, gettext("The data of the calculators did not load. The worked example below is still right. Its formulas are in the database on the data page."));
  }

  function calculator(id, rules) {
    document.addEventListener("DOMContentLoaded", () => begin(id, rules));
  }

  Object.assign(window.gpuledger, { calculator, calculatorTables, calculators: {} });
})();
