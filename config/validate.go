package config

import (
	"slices"
	"time"
)

// Validate returns a [*Problem] for every value that is not allowed, joined, or nil.
// Load calls it; call it for a Config made by hand.
func (c Config) Validate() error { return join(c.problems()) }

func (c Config) problems() []*Problem {
	v := &verdict{}
	c.checkNATS(v)
	c.checkStorage(v)
	c.checkServing(v)
	c.checkConsole(v)
	c.checkWorker(v)

	c.checkShare(v)
	c.checkGate(v)
	c.checkCallbacks(v)
	c.checkDurable(v)
	c.checkHistory(v)
	c.checkRemote(v)
	v.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	v.oneOf("log.format", c.Log.Format, "auto", "json", "console")
	c.checkTelemetry(v)
	v.filled("data", c.Data)
	for _, dir := range c.ToolsDirs {
		v.filled("tools_dirs", dir)
	}
	c.checkScripts(v)
	c.checkWorkspace(v)
	for _, entry := range c.Groups {
		v.matches("groups", entry, groupSwitch, "GROUP=on, GROUP=off or TENANT:GROUP=on")
	}
	for _, entry := range c.RateLimits {
		v.matches("rate_limits", entry, rateLimit,
			"TOOL=COUNT/TIME such as send_email=10/1h, with \" by user\" behind it to count each user apart")
	}
	for _, entry := range c.ServiceRateLimits {
		v.matches("service_rate_limits", entry, serviceLimit,
			"SERVICE=COUNT/TIME such as openai=600/1m, with \" by user\" behind it to count each user apart")
	}
	for i, name := range c.Tools.Search {
		v.oneOf("tools.search", name, "searxng", "brave", "tavily")
		if slices.Contains(c.Tools.Search[:i], name) {
			v.addf("tools.search", "has %s twice; want each service once", show(name))
		}
	}
	for _, host := range c.AllowHosts {
		v.host("allow_hosts", host)
	}
	v.oneOf("profile", c.Profile, "strict", "standard", "auto")
	return v.problems
}

func (c Config) checkNATS(v *verdict) {
	n := c.NATS
	v.urls("nats.url", n.URL, "nats", "tls", "ws", "wss")
	if n.Context != "" && (n.Creds != "" || n.TLS != TLSSection{}) {
		v.addf("nats.context", "is %s beside nats.creds or nats.tls; want either, because a context brings its own", show(n.Context))
	}
	if (n.TLS.Cert == "") != (n.TLS.Key == "") {
		v.addf("nats.tls.cert", "and nats.tls.key come together; want both or neither")
	}
	v.matches("nats.prefix", n.Prefix, subjectPrefix, "letters, digits, - and _ in parts joined by dots, at most 64 characters")
	if n.MonitorURL != "" {
		v.url("nats.monitor_url", n.MonitorURL, "http", "https")
	}
	v.between("nats.connect_timeout", n.ConnectTimeout, 100*time.Millisecond, time.Minute)
}

func (c Config) checkStorage(v *verdict) {
	v.oneOf("durability.profile", c.Durability.Profile, "process", "power")
	if r := c.Durability.Replicas; !slices.Contains([]int{1, 3, 5}, r) {
		v.addf("durability.replicas", "is %d; want 1, 3 or 5", r)
	}
	s := c.Streams
	v.between("streams.calls_max_age", s.CallsMaxAge, time.Hour, year)
	// A call must not expire from the stream before it has ended.
	if least := c.Dispatcher.QueueTTL + time.Hour; s.CallsMaxAge >= time.Hour && s.CallsMaxAge < least {
		v.addf("streams.calls_max_age", "is %s; want an hour more than dispatcher.queue_ttl, %s or above", short(s.CallsMaxAge), short(least))
	}
	v.size("streams.calls_max_bytes", s.CallsMaxBytes, 0, maxBytes)
	v.between("streams.results_max_age", s.ResultsMaxAge, time.Hour, year)
	v.size("streams.results_max_bytes", s.ResultsMaxBytes, 0, maxBytes)
	v.count("streams.results_max_messages", s.ResultsMaxMessages, 0, maxMessages)
	v.size("streams.once_max_bytes", s.OnceMaxBytes, 0, maxBytes)
	v.count("streams.once_max_messages", s.OnceMaxMessages, 0, maxMessages)
	v.between("streams.events_replay", s.EventsReplay, 10*time.Minute, year)
}

func (c Config) checkServing(v *verdict) {
	v.addr("http.addr", c.HTTP.Addr)
	if c.HTTP.AdminAddr != "" {
		v.addr("http.admin_addr", c.HTTP.AdminAddr)
	}
	for _, origin := range c.HTTP.AllowedOrigins {
		v.origin("http.allowed_origins", origin)
	}
	for _, host := range c.HTTP.PushHosts {
		v.host("http.push_hosts", host)
	}
	v.public("http.public_url", c.HTTP.PublicURL)
	v.size("http.max_body", c.HTTP.MaxBody, 1<<10, 64<<20)
	v.size("http.max_file", c.HTTP.MaxFile, 1<<10, maxBytes)
	v.size("http.body_memory", c.HTTP.BodyMemory, 1<<20, maxBytes)
	if least := 4 * c.HTTP.MaxBody; c.HTTP.BodyMemory < least {
		v.addf("http.body_memory", "is %d bytes; want four times http.max_body, %d or above", c.HTTP.BodyMemory, least)
	}
	v.count("http.max_streams", c.HTTP.MaxStreams, 1, 100_000)
	v.between("http.read_header_timeout", c.HTTP.ReadHeaderTimeout, 100*time.Millisecond, time.Minute)
	v.between("http.drain_delay", c.HTTP.DrainDelay, 0, 10*time.Minute)
	v.between("http.shutdown_timeout", c.HTTP.ShutdownTimeout, 100*time.Millisecond, time.Hour)

	v.between("http.linger", c.HTTP.Linger, 0, time.Minute)
	v.oneOf("mcp.tools", c.MCP.Tools, MCPAll, MCPDiscovery)
	v.between("mcp.task_after", c.MCP.TaskAfter, 10*time.Millisecond, time.Hour)
	if c.MCP.ConsoleURL != "" {
		v.url("mcp.console_url", c.MCP.ConsoleURL, "http", "https")
	}

	d := c.Dispatcher
	v.count("dispatcher.max_backlog", d.MaxBacklog, 1, 100_000_000)
	v.between("dispatcher.default_wait", d.DefaultWait, 0, time.Hour)
	v.between("dispatcher.max_wait", d.MaxWait, time.Second, time.Hour)
	if d.DefaultWait > d.MaxWait {
		v.addf("dispatcher.default_wait", "is %s; want at most dispatcher.max_wait, which is %s", short(d.DefaultWait), short(d.MaxWait))
	}
	v.between("dispatcher.queue_ttl", d.QueueTTL, time.Second, 30*24*time.Hour)
	v.count("dispatcher.max_calls_per_request", d.MaxCallsPerRequest, 1000, 100_000)
	v.between("dispatcher.direct_under", d.DirectUnder, 0, time.Minute)
	v.between("dispatcher.direct_wait", d.DirectWait, 10*time.Millisecond, time.Minute)
}

func (c Config) checkWorker(v *verdict) {
	w := c.Worker
	if len(w.Pools) == 0 {
		v.addf("worker.pools", "is empty; want at least one pool")
	}
	for i, pool := range w.Pools {
		v.matches("worker.pools", pool, poolName, "names of letters, digits, - and _, at most 64 characters")
		if slices.Contains(w.Pools[:i], pool) {
			v.addf("worker.pools", "has %s twice; want each pool once", show(pool))
		}
	}
	v.count("worker.slots", w.Slots, 1, 100_000)
	v.between("worker.ack_wait", w.AckWait, 500*time.Millisecond, 5*time.Minute)
	v.between("worker.drain_timeout", w.DrainTimeout, 0, time.Hour)
	v.count("worker.max_attempts", w.MaxAttempts, 1, 1000)
	v.count("worker.max_inner_calls", w.MaxInnerCalls, 1, 100_000)
	v.oneOf("worker.affinity", w.Affinity, AffinityNone, AffinityUser)
	v.addr("worker.http_addr", w.HTTPAddr)
	v.count("up.workers", c.Up.Workers, 1, 64)
	v.addr("up.nats_addr", c.Up.NATSAddr)
}
