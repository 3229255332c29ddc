package config

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for path, sets := range map[string][]func(*Config){
		"auth.client_id":          {func(c *Config) { c.Auth.ClientID = "console" }},
		"auth.client_secret_file": {func(c *Config) { c.Auth.ClientSecretFile = "secret" }},
		"auth.client_scopes": {
			func(c *Config) {
				c.Auth.Issuer, c.Auth.ClientID, c.Auth.ClientScopes = "https://id.example", "console", nil
			},
			func(c *Config) {
				c.Auth.Issuer, c.Auth.ClientID, c.Auth.ClientScopes = "https://id.example", "console", []string{"profile"}
			},
		},
		"auth.session_idle": {func(c *Config) { c.Auth.SessionIdle = 0 }, func(c *Config) { c.Auth.SessionIdle = time.Second }},
		"auth.session_life": {func(c *Config) { c.Auth.SessionLife = 0 }, func(c *Config) { c.Auth.SessionLife = 10_000 * time.Hour }},
		"nats.url": {
			func(c *Config) { c.NATS.URL = "" },
			func(c *Config) { c.NATS.URL = "localhost:4222" },
			func(c *Config) { c.NATS.URL = "http://h:1" },
			func(c *Config) { c.NATS.URL = "nats://h:0" },
			func(c *Config) { c.NATS.URL = "nats://h:65536" },
			func(c *Config) { c.NATS.URL = "nats://a,nats://" },
		},
		"nats.context": {
			func(c *Config) { c.NATS.Context, c.NATS.Creds = "a", "b" },
			func(c *Config) { c.NATS.Context, c.NATS.TLS.CA = "a", "b" },
		},
		"nats.tls.cert": {func(c *Config) { c.NATS.TLS.Key = "k" }, func(c *Config) { c.NATS.TLS.Cert = "c" }},
		"nats.prefix": {
			func(c *Config) { c.NATS.Prefix = "a.>" }, func(c *Config) { c.NATS.Prefix = "" }, func(c *Config) { c.NATS.Prefix = "a..b" },
			func(c *Config) { c.NATS.Prefix = "$SYS" },
		},
		"nats.monitor_url": {
			func(c *Config) { c.NATS.MonitorURL = "nats:8222" }, func(c *Config) { c.NATS.MonitorURL = "http://a,http://b" },
		},
		"nats.connect_timeout": {func(c *Config) { c.NATS.ConnectTimeout = 0 }},
		"durability.profile":   {func(c *Config) { c.Durability.Profile = "Power" }},
		"durability.replicas":  {func(c *Config) { c.Durability.Replicas = 4 }},
		"streams.calls_max_age": {
			func(c *Config) { c.Streams.CallsMaxAge = time.Minute }, func(c *Config) { c.Dispatcher.QueueTTL = 24 * time.Hour },
		},
		"streams.calls_max_bytes":   {func(c *Config) { c.Streams.CallsMaxBytes = -1 }},
		"streams.results_max_age":   {func(c *Config) { c.Streams.ResultsMaxAge = time.Hour - 1 }},
		"streams.results_max_bytes": {func(c *Config) { c.Streams.ResultsMaxBytes = math.MaxInt64 }},
		"streams.events_replay":     {func(c *Config) { c.Streams.EventsReplay = 9 * time.Minute }},
		"http.addr": {
			func(c *Config) { c.HTTP.Addr = "8080" }, func(c *Config) { c.HTTP.Addr = "a b:1" }, func(c *Config) { c.HTTP.Addr = "h:http" },
			func(c *Config) { c.HTTP.Addr = "h:+1" },
		},
		"http.max_body":            {func(c *Config) { c.HTTP.MaxBody = 0 }},
		"http.max_file":            {func(c *Config) { c.HTTP.MaxFile = 0 }},
		"http.read_header_timeout": {func(c *Config) { c.HTTP.ReadHeaderTimeout = 0 }},
		"http.shutdown_timeout":    {func(c *Config) { c.HTTP.ShutdownTimeout = -1 }},
		"http.drain_delay":         {func(c *Config) { c.HTTP.DrainDelay = -1 }},
		"http.linger":              {func(c *Config) { c.HTTP.Linger = -1 }},
		"mcp.tools":                {func(c *Config) { c.MCP.Tools = "some" }},
		"mcp.task_after":           {func(c *Config) { c.MCP.TaskAfter = 0 }},
		"mcp.console_url":          {func(c *Config) { c.MCP.ConsoleURL = "javascript:alert(1)" }},
		"dispatcher.max_backlog":   {func(c *Config) { c.Dispatcher.MaxBacklog = 0 }},
		"dispatcher.default_wait": {
			func(c *Config) { c.Dispatcher.DefaultWait = -1 }, func(c *Config) { c.Dispatcher.DefaultWait = 6 * time.Minute },
		},
		"dispatcher.max_wait":              {func(c *Config) { c.Dispatcher.MaxWait, c.Dispatcher.DefaultWait = 0, 0 }},
		"dispatcher.queue_ttl":             {func(c *Config) { c.Dispatcher.QueueTTL = 0 }},
		"dispatcher.direct_under":          {func(c *Config) { c.Dispatcher.DirectUnder = -1 }},
		"dispatcher.direct_wait":           {func(c *Config) { c.Dispatcher.DirectWait = 0 }},
		"dispatcher.max_calls_per_request": {func(c *Config) { c.Dispatcher.MaxCallsPerRequest = 999 }},
		"worker.pools": {
			func(c *Config) { c.Worker.Pools = nil },
			func(c *Config) { c.Worker.Pools = []string{"a.b"} },
			func(c *Config) { c.Worker.Pools = []string{strings.Repeat("a", 65)} },
			func(c *Config) { c.Worker.Pools = []string{"a", "a"} },
		},
		"worker.slots":           {func(c *Config) { c.Worker.Slots = 0 }, func(c *Config) { c.Worker.Slots = 100_001 }},
		"worker.ack_wait":        {func(c *Config) { c.Worker.AckWait = time.Millisecond }},
		"worker.drain_timeout":   {func(c *Config) { c.Worker.DrainTimeout = -1 }},
		"worker.affinity":        {func(c *Config) { c.Worker.Affinity = "agent" }},
		"worker.max_inner_calls": {func(c *Config) { c.Worker.MaxInnerCalls = 0 }},
		"worker.max_attempts":    {func(c *Config) { c.Worker.MaxAttempts = 0 }},
		"worker.http_addr":       {func(c *Config) { c.Worker.HTTPAddr = "" }},
		"share.quick_user":       {func(c *Config) { c.Share.QuickUser = 0 }},
		"share.quick_tenant":     {func(c *Config) { c.Share.QuickTenant = c.Share.QuickUser - 1 }},
		"share.weights": {
			func(c *Config) { c.Share.Weights = []string{"acme=0"} }, func(c *Config) { c.Share.Weights = []string{"acme"} },
			func(c *Config) { c.Share.Weights = []string{"a.b=2"} },
		},
		"quota.user":   {func(c *Config) { c.Quota.User = 0 }},
		"quota.tenant": {func(c *Config) { c.Quota.Tenant = -1 }},
		"quota.tenants": {
			func(c *Config) { c.Quota.Tenants = []string{"acme=many"} }, func(c *Config) { c.Quota.Tenants = []string{"=5"} },
		},
		"up.workers":   {func(c *Config) { c.Up.Workers = 0 }},
		"up.nats_addr": {func(c *Config) { c.Up.NATSAddr = "nats://h:1" }},
		"consent.ttl":  {func(c *Config) { c.Consent.TTL = 0 }},
		"log.level":    {func(c *Config) { c.Log.Level = "INFO" }},
		"log.format":   {func(c *Config) { c.Log.Format = "" }},
		"telemetry.otlp_endpoint": {
			func(c *Config) { c.Telemetry.OTLPEndpoint = "h:4318" }, func(c *Config) { c.Telemetry.OTLPEndpoint = "http://h?key=1" },
			func(c *Config) { c.Telemetry.OTLPEndpoint = "http://u:p@h" },
		},
		"telemetry.trace_hosts": {
			func(c *Config) { c.Telemetry.TraceHosts = []string{"http://h"} }, func(c *Config) { c.Telemetry.TraceHosts = []string{"*"} },
			func(c *Config) { c.Telemetry.TraceHosts = []string{"h:0"} },
		},
		"telemetry.metrics_interval": {
			func(c *Config) { c.Telemetry.MetricsInterval = time.Millisecond }, func(c *Config) { c.Telemetry.MetricsInterval = -time.Second },
		},
		"telemetry.sample_ratio": {
			func(c *Config) { c.Telemetry.SampleRatio = 1.1 }, func(c *Config) { c.Telemetry.SampleRatio = math.NaN() },
		},
		"data":             {func(c *Config) { c.Data = "" }},
		"tool_env":         {func(c *Config) { c.ToolEnv = []string{"KEY=hunter2"} }},
		"sandbox.children": {func(c *Config) { c.Sandbox.Children = -1 }},
		"sandbox.wall":     {func(c *Config) { c.Sandbox.Wall = time.Minute }},
		"sandbox.cpu":      {func(c *Config) { c.Sandbox.CPU = 0 }},
		"sandbox.memory":   {func(c *Config) { c.Sandbox.Memory = 1 << 10 }},
		"sandbox.handover": {func(c *Config) { c.Sandbox.Handover = 1 << 20 }},
		"sandbox.output":   {func(c *Config) { c.Sandbox.Output = 0 }},
		"store.url": {
			func(c *Config) { c.Store.URL = "mysql://h/db" }, func(c *Config) { c.Store.URL = "db.example" },
			func(c *Config) { c.Store.URL = "postgres://h/db?sslmode=verify-full&password=hunter2" },
			func(c *Config) { c.Store.URL = "postgres://?host=/run" },
		},
		"console.prometheus_url": {
			func(c *Config) { c.Console.PrometheusURL = "prometheus:9090" }, func(c *Config) { c.Console.PrometheusURL = "file:///etc/passwd" },
			func(c *Config) { c.Console.PrometheusURL = "javascript:alert(1)" },
		},
		"console.prometheus_match": {
			func(c *Config) { c.Console.PrometheusMatch = "helve" }, func(c *Config) { c.Console.PrometheusMatch = `job="a"} or up{job="b"` },
			func(c *Config) { c.Console.PrometheusMatch = `job="a\"` }, func(c *Config) { c.Console.PrometheusMatch = `job="a",` },
		},
		"tools_dirs": {func(c *Config) { c.ToolsDirs = []string{""} }},
		"http.push_hosts": {
			func(c *Config) { c.HTTP.PushHosts = []string{"https://push.example"} },
			func(c *Config) { c.HTTP.PushHosts = []string{"push.example:0"} },
		},
		"http.allowed_origins": {
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"*"} }, func(c *Config) { c.HTTP.AllowedOrigins = []string{"null"} },
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"https://*.example"} },
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"app.example"} },
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"https://app.example/"} },
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"https://u@app.example"} },
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"file://x"} },
			func(c *Config) { c.HTTP.AllowedOrigins = []string{"https://app.example:0"} },
		},
		"service_rate_limits": {
			func(c *Config) { c.ServiceRateLimits = []string{"openai"} },
			func(c *Config) { c.ServiceRateLimits = []string{"openai=1/1h by service"} },
		},
		"tools.search": {
			func(c *Config) { c.Tools.Search = []string{"other"} }, func(c *Config) { c.Tools.Search = []string{"brave", "brave"} },
		},
		"http.public_url": {
			func(c *Config) { c.HTTP.PublicURL = "http://helve.example" }, func(c *Config) { c.HTTP.PublicURL = "https://helve.example/x" },
			func(c *Config) { c.HTTP.PublicURL = "helve.example" }, func(c *Config) { c.HTTP.PublicURL = "https://u@helve.example" },
		},
		"allow_hosts": {
			func(c *Config) { c.AllowHosts = []string{"http://h"} }, func(c *Config) { c.AllowHosts = []string{"10.0.0.0/33"} },
			func(c *Config) { c.AllowHosts = []string{"h:0"} },
		},
		"profile": {func(c *Config) { c.Profile = "" }},
	} {
		for i, set := range sets {
			c := Default()
			set(&c)
			got := lines(t, c.Validate())
			if len(got) != 1 || !strings.HasPrefix(got[0], path+": ") {
				t.Errorf("%s, case %d: Validate() = %q, want one problem with that key", path, i, got)
			}
		}
	}
}

func TestValidateAccepts(t *testing.T) {
	c := Default()
	c.NATS.URL = "tls://user:pass@a.example:4443, nats://[::1]:4222,ws://b"
	c.NATS.TLS = TLSSection{CA: "ca", Cert: "c", Key: "k"}
	c.NATS.MonitorURL = "http://127.0.0.1:8222"
	c.HTTP.Addr = ":8080"
	c.Store.URL = "postgres://helve@db.example:5432/helve?sslmode=verify-full&passfile=/etc/helve/pgpass"
	c.Worker.HTTPAddr = "[::]:0"
	c.ServiceRateLimits, c.Tools.Search = []string{"openai=600/1m", "coding-codex=1/1h by user", "*=10/1s"}, []string{"tavily", "searxng"}
	c.AllowHosts = []string{"example.com", "example.com:8443", "10.1.0.0/16", "127.0.0.1", "127.0.0.1:80", "::1", "[::1]:80", "fd00::/8"}
	c.Telemetry.OTLPEndpoint = "https://collector:4318/base"
	if err := c.Validate(); err != nil {
		t.Errorf("Validate() = %v, want nil", err)
	}
}
