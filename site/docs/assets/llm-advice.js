/* Advice of the chooser for language models, as pipeline/website/components/llm/llm_advice.py writes it.
   Exports `gpuledger.llmAdvice`. */
(() => {
  "use strict";
  const { numbers: { number, usd }, parts: { counted, gpuName, longTime, providerName } } = window.gpuledger;
  const gettext = (...args) => window.gpuledger.gettext(...args);

  const jobUsd = (one, asked) => usd(one.usd_per_million * asked.millions);
  const jobTime = (one, asked) => longTime((asked.millions * 1e6) / one.tokens_per_s / 3600);

  function tokens(asked, best, told) {
    const all = { ...told, usd: usd(best.usd_per_million) };
    return asked.objective === "fastest"
      ? gettext("Rent {gpu} from {provider}: the fastest of {count} GPUs that fit, at {usd} per million tokens.", all)
      : gettext("Rent {gpu} from {provider}: {usd} per million tokens. That is the lowest cost among {count} GPUs that fit.", all);
  }

  function job(asked, best, told) {
    const all = { ...told, usd: jobUsd(best, asked), time: jobTime(best, asked) };
    return asked.objective === "fastest"
      ? gettext("Rent {gpu} from {provider}: the fastest of {count} GPUs that fit. The job takes {time} and costs {usd}.", all)
      : gettext("Rent {gpu} from {provider}: {usd} for the job in {time}. That is the lowest cost among {count} GPUs that fit.", all);
  }

  function speed(asked, best) {
    const each = best.tokens_per_s / asked.requests;
    const told = { speed: number(best.tokens_per_s, 3), requests: number(asked.requests), each: number(each, 2) };
    if (asked.requests > 1) return gettext("Speed: {speed} tokens/s for {requests} requests at a time, or {each} for each.", told);
    return each >= asked.reading ? gettext("Its {speed} tokens/s are faster than you can read.", told) : gettext("Its {speed} tokens/s are slower than you read.", told);
  }

  const KEYS = {
    cheapest: (one) => [one.usd_per_million, -one.tokens_per_s],
    fastest: (one) => [-one.tokens_per_s, one.usd_per_million],
  };

  function firstBy(name, placed) {
    const key = KEYS[name];
    return [...placed].sort((a, b) => key(a)[0] - key(b)[0] || key(a)[1] - key(b)[1] || (a.gpu_id < b.gpu_id ? -1 : 1))[0];
  }

  function other(asked, placed) {
    const fastest = asked.objective === "fastest";
    const found = firstBy(fastest ? "cheapest" : "fastest", placed);
    if (found.gpu_id === placed[0].gpu_id) return fastest ? gettext("It is also the cheapest.") : gettext("It is also the fastest.");
    if (asked.tune) {
      const told = { gpu: counted(found), usd: jobUsd(found, asked), time: jobTime(found, asked) };
      return fastest ? gettext("Cheapest: {gpu}, {usd} in {time}.", told) : gettext("Fastest: {gpu}, {time} for {usd}.", told);
    }
    const told = { gpu: counted(found), usd: usd(found.usd_per_million), speed: number(found.tokens_per_s, 3) };
    return fastest ? gettext("Cheapest: {gpu}, {usd} per million at {speed} tokens/s.", told) : gettext("Fastest: {gpu}, {speed} tokens/s at {usd} per million.", told);
  }

  const lacking = (one) => Math.max(0, one.needed_gb - one.usable_gb);

  function nearest(asked, left) {
    const text = gettext("No GPU in these data runs {model} as {type} at a known price.", { model: asked.name, type: asked.type });
    const [one] = left.filter((choice) => choice.needed_gb !== null)
      .sort((a, b) => lacking(a) - lacking(b) || a.usable_gb - b.usable_gb || (a.gpu_id < b.gpu_id ? -1 : 1));
    if (!one) return text;
    const told = { gpu: gpuName(one), usable: number(one.usable_gb, 3), needed: number(one.needed_gb, 3) };
    return [text, gettext("Nearest: {gpu}, with {usable} GB usable of {needed} GB needed.", told)].join(" ");
  }

  /* `asked`: the question with the name of model and stored type, requests at a time and the reading speed. */
  function llmAdvice(asked, placed, left, providers) {
    if (!placed.length) return nearest(asked, left);
    const [best] = placed;
    const told = { gpu: counted(best), provider: providerName(providers, best.provider), count: number(placed.length) };
    if (best.tokens_per_s === null) {
      return gettext("Rent {gpu} from {provider} at {usd} an hour: the cheapest of {count} GPUs with enough memory. This page has no speed of this model, so the list is in order of price per hour.", { ...told, usd: usd(best.usd_per_hour) });
    }
    return asked.tune ? [job(asked, best, told), other(asked, placed)].join(" ") : [tokens(asked, best, told), speed(asked, best), other(asked, placed)].join(" ");
  }

  window.gpuledger.llmAdvice = llmAdvice;
})();
