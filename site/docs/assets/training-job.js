/* Cost of a training job: time and rent on 1, 2, 4 and 8 cards, as table training_job counts them.
   Texts are those of pipeline/website/pages/calculators/job_calculator.py. */
(() => {
  "use strict";
  const { formulas, calculator, calculators, calculatorTables, numbers: { day, duration, number, usd } } = window.gpuledger;
  const say = (...told) => window.gpuledger.say(...told); // address.js comes after the scripts of a page
  const COUNTS = [1, 2, 4, 8];

  function epochTime(card) {
    if (card.seconds === null) return say("no time known: put in yours");
    if (card.basis === "measured") return say("EfficientNet B7 on 2,136 images, measured");
    return say("EfficientNet B7 on 2,136 images, predicted from the {card}", { card: card.timed_card });
  }

  function rent(card) {
    if (card.median_usd === null) return say("nobody rents it out now: put in yours");
    return card.n_offers === 1 ? say("the one current on-demand offer, {day}", { day: day(card.median_date) })
      : say("median of {offers} current on-demand offers, newest {day}", { offers: number(card.n_offers), day: day(card.median_date) });
  }

  function copied(card) {
    return {
      seconds: { value: card.seconds, from: epochTime(card) },
      rent: { value: card.median_usd, from: rent(card) },
      link: { value: card.interconnect, from: card.interconnect === null ? say("not known for this card") : say("likely for this card") },
    };
  }

  const efficiency = (link, network, count) => (count === 1 ? 1 : calculatorTables().efficiency
    .find((one) => one.interconnect === link && one.network === network && one.gpu_count === count)?.efficiency ?? null);

  /* Inputs as the form has them; one row per number of cards, and the fewest that end it in time. */
  function trainingJob({ epochs, seconds, rent: usdPerGpuHour, within, link, network }) {
    const rows = COUNTS.map((gpus) => {
      const share = efficiency(link, network, gpus);
      const time = formulas.timeToTrainS(epochs, seconds, gpus, share);
      return { gpus, share, time, usd: formulas.costToTrainUsd(epochs, seconds, gpus, share, usdPerGpuHour) };
    });
    const hours = rows[0].time === null ? null : rows[0].time / 3600;
    return { rows, enough: formulas.gpusWithinHours(hours, within, ...rows.slice(1).map((row) => row.share)) };
  }

  const span = (seconds) => (seconds < 172800 ? duration(seconds) : say("{days} days", { days: number(seconds / 86400, 3) }));

  function outcome({ time, usd: cost }) {
    if (time === null) return say("not known");
    return cost === null ? say("{time} on one card, cost not known", { time: span(time) }) : say("{cost} and {time} on one card", { cost: usd(cost), time: span(time) });
  }

  function inTime({ within }, { rows, enough }) {
    const told = { hours: number(within), gpus: enough };
    if (rows[0].time === null) return say("No time of an epoch is known for this card: put in yours.");
    if (enough === null) return say("Within {hours} hours: even 8 cards do not end it, or how they work together is not known.", told);
    if (enough === 1) return say("Within {hours} hours: one card is enough.", told);
    const row = rows.find((one) => one.gpus === enough);
    const figures = { ...told, time: span(row.time), cost: usd(row.usd) };
    return row.usd === null ? say("Within {hours} hours: {gpus} cards, {time}.", figures) : say("Within {hours} hours: {gpus} cards, {time}, {cost}.", figures);
  }

  /* A copied time that is a prediction has an interval; the reader's own has none. */
  function interval({ rows: [{ time, usd: cost }] }, card, asCopied) {
    if (!asCopied || card === null || card.seconds_high === null || time === null) return "";
    const [low, high] = [card.seconds_low, card.seconds_high].map((end) => end / card.seconds);
    const figures = { low: span(time * low), high: span(time * high), least: usd(cost === null ? null : cost * low), most: usd(cost === null ? null : cost * high) };
    return cost === null ? say("The time is a prediction: 90% interval {low} to {high}.", figures)
      : say("The time is a prediction: 90% interval {low} to {high}, {least} to {most}.", figures);
  }

  function arithmetic({ epochs, seconds, rent: price }, { gpus, share, time, usd: cost }) {
    if (share === null) return say("How {gpus} cards work together over this link was not measured.", { gpus });
    if (time === null) return "";
    const figures = {
      epochs: number(epochs), seconds: number(seconds), gpus, share: number(100 * share, 3), hours: number(time / 3600), price: usd(price), cost: usd(cost),
    };
    return cost === null ? say("{epochs} × {seconds} s / ({gpus} × {share}%) = {hours} h", figures)
      : say("{epochs} × {seconds} s / ({gpus} × {share}%) = {hours} h; × {gpus} × {price} = {cost}", figures);
  }

  function row(values, counted) {
    const { gpus, share, time, usd: cost } = counted;
    const texts = {
      share: share === null ? say("not known") : `${number(100 * share, 3)}%`,
      time: time === null ? say("not known") : span(time),
      cost: cost === null ? say("not known") : usd(cost),
      arithmetic: arithmetic(values, counted),
    };
    return Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${name}-${gpus}`, text]));
  }

  function told(values, card, asCopied) {
    const counted = trainingJob(values);
    return Object.assign({
      outcome: outcome(counted.rows[0]), within: inTime(values, counted), interval: interval(counted, card, asCopied("seconds")),
    }, ...counted.rows.map((one) => row(values, one)));
  }

  calculators.trainingJob = trainingJob;
  calculator("training-job", { copied, told });
})();
