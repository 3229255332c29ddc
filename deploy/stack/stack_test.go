package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// empty names the panels that have no figures in a system without faults, and why.
func empty() map[string]string {
	const noServers = "compose.yaml configures no MCP servers"
	return map[string]string{
		"dependencies/Time until a credential expires": "the key of setup.sh does not expire, and NATS has no credentials",
		"sandbox/Connected workers":                    noServers,
		"sandbox/Connections tried again":              noServers,
		"sandbox/Withheld tools":                       noServers,
		"sandbox/Time of a call":                       noServers,
		"sandbox/Calls by outcome":                     noServers,
		"tools/Refused by a rate limit":                "compose.yaml sets no rate limit",
	}
}

// TestStack runs the whole on one machine as docs/deploy.md says, with calls: every panel has
// figures, every rule is evaluated, no alert fires; then workers stop and an alert fires until
// they are back.
func TestStack(t *testing.T) {
	e := startEngine(t)
	e.standIns("nats:2.15.2-alpine", "postgres:17-alpine", "prom/prometheus:v3.7.0")
	for _, image := range []string{"dispatcher", "worker", "helve"} {
		e.docker("load", "--input", filepath.Join(e.dir, "images", image+".tar"))
	}
	dir := filepath.Join(t.TempDir(), "deploy")
	e.run(e.command("cp", "-r", "..", dir))
	c := compose{engine: e, dir: filepath.Join(dir, "compose")}
	setup := e.command("./setup.sh", version)
	setup.Dir = c.dir
	key := regexp.MustCompile(`hk_\S+`).FindString(e.run(setup))
	if key == "" {
		t.Fatal("setup.sh printed no API key")
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.logs()
		}
		c.run("down", "--volumes", "--timeout", "60")
	})
	c.up()
	began := time.Now()
	p := prometheus{t, "http://" + c.address("prometheus") + ":9090"}
	e.await("scrapes of one dispatcher and two workers", func() bool {
		up := p.up()
		return up["helve-dispatcher"] == 1 && up["helve-worker"] == 2
	})
	calls := &client{t: t, url: "http://127.0.0.1:8080", key: key}
	calls.use(c, func() bool { return p.figures(`helve_pool_oldest_call_timestamp_seconds`, began) > 0 })
	e.await("every call in the figures", func() bool { return p.figures(fmt.Sprintf(`sum(helve_calls_total) >= %d`, calls.made), began) > 0 })
	checkPanels(t, p, began)
	checkAlerts(t, p)
	if out, err := c.helve(key, "doctor"); err != nil {
		t.Errorf("helve doctor: %v: %s", err, out)
	}

	c.run("stop", "worker")
	for _, worker := range []string{"helve-worker-1", "helve-worker-2"} {
		if code := c.docker("inspect", "--format", "{{.State.ExitCode}} {{.State.OOMKilled}}", worker); code != "0 false" {
			t.Errorf("%s ended with %s, want exit code 0", worker, code)
		}
	}
	e.await("HelvePoolWithoutWorkers to fire",
		func() bool { return strings.Contains(strings.Join(p.alerts(), " "), "HelvePoolWithoutWorkers") })
	c.up()
	e.await("HelvePoolWithoutWorkers to clear", func() bool { return len(p.alerts()) == 0 })
}

// checkPanels checks that every query has figures, but for the panels of empty.
func checkPanels(t *testing.T, p prometheus, since time.Time) {
	t.Helper()
	none := empty()
	for _, panel := range panels(t) {
		n := 0
		for _, q := range panel.queries {
			figures := p.figures(q, since)
			if n += figures; figures == 0 && none[panel.name] == "" {
				t.Errorf("%s has no figures: %s", panel.name, q)
			}
		}
		if n > 0 && none[panel.name] != "" {
			t.Errorf("%s has figures, but is expected to have none: %s", panel.name, none[panel.name])
		}
		delete(none, panel.name)
	}
	for name := range none {
		t.Errorf("%s is no panel", name)
	}
}

// checkAlerts checks that every rule of the file is evaluated and none fires.
func checkAlerts(t *testing.T, p prometheus) {
	t.Helper()
	text, err := os.ReadFile("../prometheus/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rules := p.rules()
	for _, m := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(text), -1) {
		if !rules[m[1]] {
			t.Errorf("the rule %s is not evaluated", m[1])
		}
	}
	if firing := p.alerts(); len(firing) > 0 {
		t.Errorf("in a system without faults there fire %s", firing)
	}
}
