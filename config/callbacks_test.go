package config

import (
	"strings"
	"testing"
)

func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	for host, ok := range map[string]bool{
		"hooks.example.com": true, "hooks.example.com:8443": true, "127.0.0.1:9": true, "10.0.0.1": true, "[::1]:9": true, "[::1]": true,
		"": false, "https://hooks.example.com": false, "hooks.example.com/x": false, "a@hooks.example.com": false, "*.example.com": false,
		"10.0.0.0/8": false, "hooks.example.com:": false, "hooks.example.com:0": false, "hooks.example.com:99999": false, "a b": false,
		"::1": false,
	} {
		c := Default()
		c.Callbacks.AllowedHosts = []string{host}
		if err := c.Validate(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "callbacks.allowed_hosts") {
			t.Errorf("%q: %v", host, err)
		}
	}
}
