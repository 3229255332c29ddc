package config

import (
	"strings"
	"testing"
)

// TestToolEnvIsMasked: what a tool is given is a secret, in what is printed and in
// what is complained of.
func TestToolEnvIsMasked(t *testing.T) {
	c := Default()
	c.ToolEnv = []string{"weather.KEY=hunter2", "weather.OTHER=hunter2,b=c"}
	text, err := c.YAML()
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "weather.KEY="+masked) {
		t.Errorf("YAML prints %s, %v", text, err)
	}
	for _, entry := range []string{"KEY=hunter2", "Weather.KEY=hunter2", "weather.9=hunter2", "weather.=hunter2"} {
		c.ToolEnv = []string{entry}
		if err := c.Validate(); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Validate of %s = %v, want an error without the value", entry, err)
		}
	}
	tool, name, value, ok := SplitToolEnv("weather.KEY=a.b=c")
	if tool != "weather" || name != "KEY" || value != "a.b=c" || !ok {
		t.Errorf("SplitToolEnv = %s, %s, %s, %v", tool, name, value, ok)
	}
}
