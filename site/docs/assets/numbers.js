/* Formats of numbers: `fixed` and `general` as format() of the database, the others as pipeline/website/writing/numbers.py.
   Exports `gpuledger.numbers`. */
(() => {
  "use strict";
  const { gettext } = window.gpuledger;
  const months = () => [
    gettext("January"), gettext("February"), gettext("March"), gettext("April"), gettext("May"), gettext("June"),
    gettext("July"), gettext("August"), gettext("September"), gettext("October"), gettext("November"), gettext("December"),
  ];

  /* {:.Nf}: rounds an exact half to even; toFixed rounds it up. */
  function fixed(value, places) {
    const exact = Math.abs(value).toFixed(100);
    const cut = exact.indexOf(".") + 1 + places;
    const half = /^50*$/.test(exact.slice(cut));
    const down = exact.slice(0, cut).replace(/\.$/, "");
    const even = "02468".includes(down.at(-1));
    const text = half && even ? down : Math.abs(value).toFixed(places);
    return (value < 0 ? "-" : "") + text;
  }

  /* {:.Ng}: significant digits without trailing zeros, scientific notation for very small and very large values. */
  function general(value, digits = 6) {
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    const exponent = Number(power);
    if (exponent >= -4 && exponent < digits) return trimmed(fixed(value, digits - 1 - exponent));
    const sign = exponent < 0 ? "-" : "+";
    return `${trimmed(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }

  const trimmed = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const grouped = (text) => text.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  const order = (value) => Math.floor(Math.log10(Math.abs(value)));

  function number(value, digits = 4) {
    if (value === null) return "";
    if (Number.isInteger(value)) return grouped(String(value));
    return grouped(trimmed(fixed(value, Math.min(12, Math.max(0, digits - 1 - order(value))))));
  }

  function usd(value) {
    if (value === null) return "";
    if (value >= 0.995) return `$${grouped(fixed(value, value >= 1000 || (value >= 100 && Number.isInteger(value)) ? 0 : 2))}`;
    if (value === 0) return "$0";
    const [whole, cents] = fixed(value, 2 - order(value)).split(".");
    return `$${whole}.${cents.replace(/0+$/, "").padEnd(2, "0")}`;
  }

  function duration(seconds) {
    if (seconds === null) return "";
    if (seconds < 100) return gettext("{seconds} s", { seconds: number(seconds, 3) });
    const all = Number(fixed(seconds, 0));
    const minutes = Math.floor(all / 60);
    const two = (value) => String(value).padStart(2, "0");
    if (minutes < 60) return gettext("{minutes} min {seconds} s", { minutes, seconds: two(all % 60) });
    return gettext("{hours} h {minutes} min", { hours: Math.floor(minutes / 60), minutes: two(minutes % 60) });
  }

  /* A date YYYY-MM-DD in words. */
  function day(date) {
    if (date === null) return "";
    const [year, month, of] = date.split("-").map(Number);
    return gettext("{day} {month} {year}", { day: of, month: months()[month - 1], year });
  }

  window.gpuledger.numbers = { fixed, general, number, usd, duration, day };
})();
