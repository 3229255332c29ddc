package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestYAMLLoadsBack(t *testing.T) {
	want := Default()
	want.NATS.Context = "true" // text that YAML would take for something else
	want.Data = "a: #b\n\"c\""
	want.HTTP.MaxBody = 3<<20 + 1
	want.Consent.TTL = 90*time.Second + time.Millisecond
	want.Worker.Pools = []string{"1", "null"}
	want.ToolsDirs = []string{"a,b"}
	want.Telemetry.SampleRatio = 0.125
	want.Diagnostics = true
	text, err := want.YAML()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Load(Source{File: file(t, string(text))})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("Load(YAML()) = %v, differs (-want +got):\n%s\n%s", err, diff, text)
	}
}

func TestYAMLIsWrittenAsPeopleDo(t *testing.T) {
	text, err := Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"nats:\n  url: nats://127.0.0.1:4222\n", "  tls:\n    ca: \"\"\n", "calls_max_age: 24h\n", "max_body: 8MiB\n", "ttl: 10m\n",
		"tools_dirs: []\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("YAML() lacks %q:\n%s", want, text)
		}
	}
}

func TestYAMLHidesPasswords(t *testing.T) {
	c := Default()
	c.NATS.URL = "nats://user:hunter2@a:4222,nats://hunter2@b:4222"
	c.NATS.MonitorURL = "http://user:hunter2@a:8222"
	c.NATS.Creds = "secrets/user.creds"
	c.Telemetry.OTLPEndpoint = "https://user:hunter2@a"
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"nats://user:xxxxx@a:4222,nats://xxxxx@b:4222", "http://user:xxxxx@a:8222", "https://user:xxxxx@a", "secrets/user.creds",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("YAML() lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "hunter2") {
		t.Errorf("YAML() shows a password:\n%s", text)
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", 10 * time.Second: "10s", 10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Minute: "1h30m",
		time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s", -time.Hour: "-1h",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %q, want %q", d, got, want)
		}
	}
}
