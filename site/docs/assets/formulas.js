/* Functions of the database (pipeline/macros) in the browser, under the same names; null in, null out. A test compares both.
   Exports `gpuledger.formulas`; parameters and units are in the files of the macros. */
(() => {
  "use strict";
  const lifted = (formula) => (...values) => (values.includes(null) ? null : formula(...values));
  const round6 = (value) => Math.round(value * 1e6) / 1e6; // so that a quotient that differs from a whole number in its last bit counts as whole

  const usdPerRun = lifted((usdPerHour, seconds) => (usdPerHour * seconds) / 3600);
  const timeToTrainS = lifted((epochs, secondsPerEpoch, gpuCount, efficiency) => (epochs * secondsPerEpoch) / (gpuCount * efficiency));
  const costToTrainUsd = lifted((epochs, secondsPerEpoch, gpuCount, efficiency, usdPerGpuHour) =>
    usdPerRun(gpuCount * usdPerGpuHour, timeToTrainS(epochs, secondsPerEpoch, gpuCount, efficiency)));

  /* `efficiencies` of 2, 4 and 8 GPUs; counts with an unknown one are left out. */
  function gpusWithinHours(hoursOnOne, limitHours, ...efficiencies) {
    if (hoursOnOne === null || limitHours === null) return null;
    const gains = [1, ...efficiencies.map((efficiency, at) => efficiency && 2 ** (at + 1) * efficiency)];
    const found = gains.findIndex((gain) => gain !== null && hoursOnOne <= limitHours * gain);
    return found < 0 ? null : 2 ** found;
  }

  const savedPerDayUsd = (cloudUsdPerHour, utilisation, watts, usdPerKwh) => 24 * utilisation * (cloudUsdPerHour - (watts / 1000) * usdPerKwh);

  const breakEvenDays = lifted((purchaseUsd, cloudUsdPerHour, utilisation, watts, usdPerKwh) => {
    if (!(utilisation > 0 && cloudUsdPerHour > (watts / 1000) * usdPerKwh)) return null;
    return Math.ceil(round6(purchaseUsd / savedPerDayUsd(cloudUsdPerHour, utilisation, watts, usdPerKwh)));
  });

  const breakEvenDaysWithResale = lifted((purchaseUsd, cloudUsdPerHour, utilisation, watts, usdPerKwh, cardUsd, keptPerYear) => {
    const saved = savedPerDayUsd(cloudUsdPerHour, utilisation, watts, usdPerKwh);
    for (let day = 1; day <= 7300; day += 1) if (saved * day + cardUsd * keptPerYear ** (day / 365) >= purchaseUsd - 1e-5) return day;
    return null;
  });

  const electricityKwhPerYear = lifted((watts, utilisation) => (watts / 1000) * utilisation * 24 * 365);
  const co2Kg = lifted((kwh, kgCo2PerKwh) => kwh * kgCo2PerKwh);
  const machineW = lifted((gpuCount, tdpW, hostW, gpusPerHostW) => gpuCount * tdpW + Math.ceil(gpuCount / gpusPerHostW) * hostW);
  const psuW = lifted((gpuCount, tdpW) => Math.ceil(round6((gpuCount * tdpW + 200) / 0.8 / 50)) * 50);
  const psuGuideW = lifted((gpuCount, tdpW) => gpuCount * tdpW + 300);
  const maxGpusInSlots = lifted((doubleSlots, slotWidth) => Math.floor(doubleSlots / Math.ceil(slotWidth / 2)));

  window.gpuledger.formulas = {
    usdPerRun, timeToTrainS, costToTrainUsd, gpusWithinHours, savedPerDayUsd, breakEvenDays, breakEvenDaysWithResale,
    electricityKwhPerYear, co2Kg, machineW, psuW, psuGuideW, maxGpusInSlots,
  };
})();
