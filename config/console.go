package config

// ConsoleSection configures what dispatchers read for the console.
type ConsoleSection struct {
	// PrometheusURL is the address of the Prometheus whose series the charts show; empty for the history
	// that dispatchers store.
	PrometheusURL string `yaml:"prometheus_url" mask:"url"`
	// PrometheusMatch selects the series of this installation in it, as job="helve".
	PrometheusMatch string `yaml:"prometheus_match"`
}

var matchers = pattern(`^[A-Za-z_][A-Za-z0-9_]*(=|!=|=~|!~)"[^"\\{}]{0,100}"(,[A-Za-z_][A-Za-z0-9_]*(=|!=|=~|!~)"[^"\\{}]{0,100}"){0,9}$`)

func (c Config) checkConsole(v *verdict) {
	if c.Console.PrometheusURL != "" {
		v.url("console.prometheus_url", c.Console.PrometheusURL, "http", "https")
	}
	if match := c.Console.PrometheusMatch; match != "" {
		v.matches("console.prometheus_match", match, matchers, `matchers of labels such as job="helve",cluster="a"`)
	}
}
