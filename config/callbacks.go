package config

import (
	"net/url"
	"strings"
)

// CallbacksSection configures the callbacks of execute.
type CallbacksSection struct {
	// AllowedHosts are HOST or HOST:PORT, as in the URL of a callback.
	AllowedHosts []string `yaml:"allowed_hosts"`
	// MaxBytes and MaxMessages bound the stored callbacks; 0 for what fits the machine.
	MaxBytes    Bytes `yaml:"max_bytes"`
	MaxMessages int   `yaml:"max_messages"`
	// MaxWaiting bounds the callbacks of one tenant that have not ended.
	MaxWaiting int `yaml:"max_waiting"`
}

func (c Config) checkCallbacks(v *verdict) {
	for _, host := range c.Callbacks.AllowedHosts {
		v.urlHost("callbacks.allowed_hosts", host)
	}
	v.size("callbacks.max_bytes", c.Callbacks.MaxBytes, 0, maxBytes)
	v.count("callbacks.max_messages", c.Callbacks.MaxMessages, 0, maxMessages)
	v.count("callbacks.max_waiting", c.Callbacks.MaxWaiting, 1, maxMessages)
}

// urlHost requires the host of a URL, with or without a port.
func (v *verdict) urlHost(path, value string) {
	u, err := url.Parse("http://" + value)
	if err != nil || u.Host != value || strings.HasSuffix(value, ":") || !isURL("http://"+value, []string{"http"}) {
		v.addf(path, "has %s; want HOST or HOST:PORT as in a URL, such as hooks.example.com or [::1]:8080", show(value))
	}
}
