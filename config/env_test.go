package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEnv(t *testing.T) {
	got, err := Load(Source{Env: []string{
		"PATH=/bin",
		"HELVE_NATS_URL=nats://a:1",
		"HELVE_NATS__MONITOR_URL=http://m:8222",
		"HELVE_NATS_TLS_CA=ca.pem",
		"HELVE_HTTP__MAX_BODY=1MiB",
		"HELVE_STREAMS_CALLS_MAX_BYTES=1024",
		"HELVE_DISPATCHER_DEFAULT_WAIT=1m30s",
		"HELVE_DIAGNOSTICS=true",
		"HELVE_TOOLS_DIRS=a,b",
		"HELVE_TELEMETRY_SAMPLE_RATIO=0.25",
		"HELVE_PROFILE=",
		"HELVE_SERVER=http://elsewhere",
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.NATS.URL = "nats://a:1"
	want.NATS.MonitorURL = "http://m:8222"
	want.NATS.TLS.CA = "ca.pem"
	want.HTTP.MaxBody = 1 << 20
	want.Streams.CallsMaxBytes = 1024
	want.Dispatcher.DefaultWait = 90 * time.Second
	want.Diagnostics = true
	want.ToolsDirs = []string{"a", "b"}
	want.Telemetry.SampleRatio = 0.25
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load differs (-want +got):\n%s", diff)
	}
}

func TestEnvProblems(t *testing.T) {
	for _, tt := range []struct {
		env  string
		want string
	}{
		{"HELVE_NATS_URI=x", "HELVE_NATS_URI: unknown variable; the nearest is HELVE_NATS_URL"},
		{"HELVE_=x", "HELVE_: unknown variable"},
		{"HELVE_HTTP_PORT=8080", "HELVE_HTTP_PORT: unknown variable"},
		{"HELVE_DIAGNOSTICS=perhaps", `diagnostics: is "perhaps"; want true or false (set by HELVE_DIAGNOSTICS)`},
		{"HELVE_TELEMETRY_SAMPLE_RATIO=NaN", "telemetry.sample_ratio: is NaN; want 0 to 1"},
		{"HELVE_HTTP_MAX_BODY=8MB", `http.max_body: is "8MB"; want bytes, or a number with KiB`},
		{"HELVE_NATS_URL=nats://a HELVE_NATS__URL=nats://b", "nats.url: is set by HELVE_NATS_URL too; want one of them (set by HELVE_NATS__URL)"},
	} {
		_, err := Load(Source{Env: strings.Fields(tt.env)})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Load with %s = %v, want %q", tt.env, err, tt.want)
		}
	}
}

func TestEnvPassesOverServiceLinks(t *testing.T) {
	links := []string{
		"HELVE_SERVICE_HOST=10.0.0.1",
		"HELVE_PORT=tcp://10.0.0.1:80",
		"HELVE_NATS_SERVICE_HOST=10.0.0.1",
		"HELVE_NATS_SERVICE_PORT=4222",
		"HELVE_NATS_SERVICE_PORT_CLIENT=4222",
		"HELVE_NATS_PORT=tcp://10.0.0.1:4222",
		"HELVE_NATS_PORT_4222_TCP=tcp://10.0.0.1:4222",
		"HELVE_NATS_PORT_4222_TCP_PROTO=tcp",
		"HELVE_NATS_PORT_4222_TCP_PORT=4222",
		"HELVE_NATS_PORT_4222_TCP_ADDR=10.0.0.1",
	}
	got, err := Load(Source{Env: links})
	if diff := cmp.Diff(Default(), got); err != nil || diff != "" {
		t.Errorf("Load with service links = %v, differs from Default() (-want +got):\n%s", err, diff)
	}
}

func TestEnvNamesAreUnique(t *testing.T) {
	c := Default()
	owner := map[string]string{envFile: "the file", envServer: "the client"}
	for path := range keys(&c) {
		name := envName(path)
		if other, taken := owner[name]; taken {
			t.Errorf("%s and %s share the variable %s", path, other, name)
		}
		if serviceLink().MatchString(name + "=tcp://1.2.3.4:5") {
			t.Errorf("%s looks like a service link, so its key %s cannot be set", name, path)
		}
		owner[name] = path
	}
}
