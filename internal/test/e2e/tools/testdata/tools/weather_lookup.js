async function execute(params) {
  const response = await fetch(`${params._env.WEATHER_URL}/current.json?q=${encodeURIComponent(params.city)}`);
  const data = await response.json();
  return { city: params.city, temp: data.current.temp_c, condition: data.current.condition.text };
}
