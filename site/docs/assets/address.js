/* A page's inputs in its address: each is read separately, invalid values are ignored and reported, changes are written back.
   Exports `gpuledger.address`, `gpuledger.all`, `gpuledger.gettext` with the translations (pipeline/website/i18n/language.py), `gpuledger.sentences`,
   `gpuledger.make`, `gpuledger.asset`, `gpuledger.load`, `gpuledger.rowsOf` and `gpuledger.tablesOf`. */
(() => {
  "use strict";
  window.gpuledger ??= {};
  // path from the folder of the scripts to the files that all languages share
  window.gpuledger.shared = `../${document.querySelector("meta[name=gl-up]")?.content ?? ""}`;
  const here = document.currentScript.src;
  const loading = new Map();
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const words = () => window.gpuledger.words ?? {}; // words from data (pipeline/website/i18n/script_messages.py)

  /* The message in the language of the page, with the value of `name` for `{name}`. */
  const gettext = (message, values = {}) => (words()[message] ?? message).replace(/\{(\w+)\}/g, (hole, name) => values[name] ?? hole);

  /* Sentences one after another, with a space between them unless the first ends with a full-width mark, as
     pipeline/website/writing/page_writer.py writes them. */
  const sentences = (...texts) => texts.filter(Boolean).join(" ").replace(/(?<=[。！？；，：）]) (?=\S)/g, "");

  /* A sentence from data, by parts between semicolons; its figures are `{1}`, `{2}` in the message. */
  const gettextFigures = (sentence) => sentence.split("; ").map(sayPart).join(gettext("; "));

  /* The parts of a text from data, each as a sentence. */
  const gettextSentences = (text) => sentences(...gettextFigures(text).split(gettext("; ")).map(asSentence));

  const asSentence = (part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}${gettext(".")}`;

  function sayPart(part) {
    const figures = [];
    const message = part.replace(/\d(?:[\d,.-]*\d)?(?:e[+-]\d+)?/g, (found) => `{${figures.push(found)}}`);
    return message in words() ? words()[message].replace(/\{(\d+)\}/g, (_, place) => figures[place - 1]) : part;
  }

  /* The option that a value means, of which old addresses write some with capitals. */
  function choiceOf(select, text) {
    const options = [...select.options];
    return options.find((one) => one.value === text) ?? options.find((one) => one.value.toLowerCase() === text.toLowerCase());
  }

  function fault(input, text) {
    if (input.type === "number" || input.type === "range") return numberFault(input, text);
    if (input instanceof HTMLSelectElement) return choiceOf(input, text) ? "" : gettext("not one of the choices");
    if (input.type === "checkbox") return ["", "1", "0"].includes(text) ? "" : gettext("neither 1 nor 0");
    if (input.pattern && text && !new RegExp(`^(?:${input.pattern})$`, "u").test(text)) return gettext("not like {example}", { example: input.placeholder });
    return text.length > Number(input.dataset.longest ?? 2000) ? gettext("too long") : "";
  }

  function numberFault(input, text) {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) return gettext("not a number");
    if (input.step === "1" && !Number.isInteger(value)) return gettext("not a whole number");
    if (input.min !== "" && value < Number(input.min)) return gettext("below {least}", { least: input.min });
    return input.max !== "" && value > Number(input.max) ? gettext("above {most}", { most: input.max }) : "";
  }

  /* Marks invalid inputs and states the allowed values of each. An input that was empty at first may be empty. */
  function faults(inputs) {
    return inputs.filter((input) => {
      const needless = input.value.trim() === "" && input.defaultValue === "" && !input.validity.badInput;
      const wrong = !needless && fault(input, input.value) !== "";
      input.ariaInvalid = wrong || null;
      return wrong;
    }).map(rangeOf);
  }

  function rangeOf(input) {
    const { number } = window.gpuledger.numbers;
    const [least, most] = [input.min, input.max].map((end) => number(Number(end)));
    const values = { name: input.closest("label").firstChild.textContent, least, most };
    if (input.min === "") return gettext("{name}: a version like 12.4.", values);
    return input.step === "1" ? gettext("{name}: a whole number from {least} to {most}.", values) : gettext("{name}: a number from {least} to {most}.", values);
  }

  /* The value that an input had at first. */
  const standing = (input) => (input instanceof HTMLSelectElement ? ([...input.options].find((one) => one.defaultSelected) ?? input.options[0]).value : input.defaultValue);

  /* The input's value for the address; empty for its initial value. */
  function asAddress(input) {
    if (input.type === "checkbox") return input.checked ? "1" : "";
    return input.value.trim() === standing(input) ? "" : input.value.trim();
  }

  /* Sets the inputs from the address and reports the ignored values. `check` returns the error of a value. */
  function recall(inputs, spot, check = fault) {
    const query = new URLSearchParams(location.search);
    const faults = [];
    for (const input of inputs.filter((one) => query.has(one.name))) {
      const text = query.get(input.name);
      const wrong = check(input, text);
      if (wrong) faults.push(`${input.name}=${text.slice(0, 40)} (${wrong})`);
      else if (input.type === "checkbox") input.checked = text === "1";
      else input.value = input instanceof HTMLSelectElement ? choiceOf(input, text).value : text;
    }
    if (faults.length && spot) tell(spot, gettext("Left out of the address: {faults}.", { faults: faults.join(", ") }));
    return faults;
  }

  /* Shows a text above the answer of a form; an empty one hides the last. */
  function complain(form, text) {
    const note = form.querySelector(".gl-fault");
    note.hidden = text === "";
    note.textContent = text;
  }

  const complainOf = (form, found) => complain(form, found.length ? gettext("{faults} The answer below uses your last valid figures.", { faults: sentences(...found) }) : "");

  function tell(spot, text) {
    spot.prepend(make("p", { className: "gl-note gl-ignored", role: "status" }, text));
  }

  function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  }

  /* Writes values into the address; empty ones are removed. */
  function remember(values) {
    const query = new URLSearchParams(location.search);
    for (const [key, value] of Object.entries(values)) value ? query.set(key, value) : query.delete(key);
    try { history.replaceState(null, "", location.pathname + (query.size ? `?${query}` : "") + location.hash); } catch { /* a page opened from disk */ }
  }

  /* The address of a file in the folder of scripts that all languages share. */
  const asset = (path) => new URL(`${window.gpuledger.shared}assets/${path}`, here).href;

  /* Loads a script once; after a failure the next call tries again. */
  function load(address, failure) {
    if (!loading.has(address)) {
      loading.set(address, new Promise((resolve, reject) => {
        const script = make("script", { src: address, onload: resolve });
        script.onerror = () => { loading.delete(address); script.remove(); reject(new Error(failure)); };
        document.head.append(script);
      }));
    }
    return loading.get(address);
  }

  /* The rows of a table that a file has as columns, which name a GPU by its position among these. */
  function rowsOf(columns, gpuIds) {
    const rows = Object.values(columns)[0].map((_, at) => Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[at]])));
    if (gpuIds && columns.gpu_id) rows.forEach((row) => { row.gpu_id = gpuIds[row.gpu_id]; });
    return rows;
  }

  const tablesOf = (data) => Object.fromEntries(Object.entries(data).map(([name, columns]) => [name, rowsOf(columns, name !== "gpu" && data.gpu.gpu_id)]));

  Object.assign(window.gpuledger, { all, asset, load, make, rowsOf, tablesOf, gettext, gettextFigures, gettextSentences, sentences });
  window.gpuledger.address = { asAddress, complain, complainOf, fault, faults, recall, remember, standing, tell };
})();
