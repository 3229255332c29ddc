const { request } = lib("rest");

// A single tool runs execute. Its return value is the result.
async function execute(params) {
  const { WEATHER_URL, WEATHER_KEY } = params._env;
  const { location, current } = await request(WEATHER_URL, "/v1/current.json", {
    query: { key: WEATHER_KEY, q: params.city },
  });
  return {
    city: location.name,
    condition: current.condition.text,
    temperature: params.units === "fahrenheit" ? current.temp_f : current.temp_c,
    units: params.units,
  };
}
