package dashboards

// All returns the dashboards.
func All() []Dashboard {
	return []Dashboard{fleet(), pools(), tools(), consent(), audit(), sandbox(), dependencies()}
}

// graph returns a panel of one query.
func graph(title, unit, expr, legend string) Panel {
	return Panel{Title: title, Unit: unit, Queries: []Query{{Expr: expr, Legend: legend}}}
}

// signed returns the panel with an axis that also has values below 0.
func signed(p Panel) Panel {
	p.Signed = true
	return p
}

// number returns a panel with one number.
func number(title, unit, expr string) Panel {
	return Panel{Title: title, Unit: unit, Single: true, Queries: []Query{{Expr: expr}}}
}

// quantiles returns a panel with the 50th, 95th and 99th percentile of a histogram.
func quantiles(title, histogram, selector, by string) Panel {
	p := Panel{Title: title, Unit: "s"}
	group, legend := "le", ""
	if by != "" {
		group, legend = "le, "+by, " {{"+by+"}}"
	}
	for _, q := range []string{"0.5", "0.95", "0.99"} {
		p.Queries = append(p.Queries, Query{
			Expr:   "histogram_quantile(" + q + ", sum by (" + group + ") (rate(" + histogram + "_bucket" + selector + "[$__rate_interval])))",
			Legend: "p" + q[2:] + legend,
		})
	}
	return p
}

func fleet() Dashboard {
	return Dashboard{Name: "fleet", Title: "Fleet", Rows: []Row{
		{"Now", []Panel{
			number("Calls per second", "reqps", `sum(rate(helve_calls_total[$__rate_interval]))`),
			number("Failed", "percentunit",
				`sum(rate(helve_calls_total{status="error"}[$__rate_interval])) / sum(rate(helve_calls_total[$__rate_interval]))`),
			number("In flight", "short", `sum(helve_calls_in_flight)`),
			number("Waiting calls", "short", `sum(max by (pool) (helve_pool_backlog))`),
			number("Waiting for a person", "short", `max(helve_consents_pending)`),
			number("Draining processes", "short", `sum(helve_draining)`),
		}},
		{"Requests", []Panel{
			graph("Requests by door and status",
				"reqps", `sum by (door, status) (rate(helve_requests_total[$__rate_interval]))`, "{{door}} {{status}}"),
			graph("Refused requests by operation",
				"reqps", `sum by (operation, status) (rate(helve_requests_total{status=~"4..|5.."}[$__rate_interval]))`, "{{operation}} {{status}}"),
			quantiles("Time to accept a call", "helve_accept_seconds", "", ""),
			quantiles("Time of a worker beside the tool", "helve_call_overhead_seconds", "", ""),
			graph("Open event streams and MCP requests",
				"short", `sum by (instance) (helve_event_streams) + sum by (instance) (helve_mcp_requests_in_flight)`, "{{instance}}"),
			graph("Calls by tenant", "reqps", `topk(10, sum by (tenant) (rate(helve_tenant_calls_total[$__rate_interval])))`, "{{tenant}}"),
		}},
		{"Processes", []Panel{
			graph("Processes by version", "short", `count by (version) (helve_build_info)`, "{{version}}"),
			graph("Processes by configuration", "short", `count by (sha256) (helve_config_info)`, "{{sha256}}"),
			graph("Live workers", "short", `max by (pool) (helve_pool_workers)`, "{{pool}}"),
			graph("CPU", "percentunit", `rate(process_cpu_seconds_total[$__rate_interval])`, "{{instance}}"),
			graph("Memory", "bytes", `process_resident_memory_bytes`, "{{instance}}"),
			graph("Goroutines", "short", `go_goroutines`, "{{instance}}"),
		}},
	}}
}

func pools() Dashboard {
	const in = `{pool=~"$pool"}`
	return Dashboard{Name: "pools", Title: "Pools", Choices: []Choice{{"pool", "helve_pool_backlog"}}, Rows: []Row{
		{"Rate, errors, duration", []Panel{
			graph("Calls", "reqps", `sum by (pool) (rate(helve_pool_calls_total`+in+`[$__rate_interval]))`, "{{pool}}"),
			graph("Failed share", "percentunit",
				`sum by (pool) (rate(helve_pool_calls_total{pool=~"$pool",status="error"}[$__rate_interval])) / sum by (pool) (rate(helve_pool_calls_total`+in+`[$__rate_interval]))`, "{{pool}}"),
			quantiles("Time in the queue", "helve_call_queue_seconds", in, "pool"),
			graph("Deliveries", "reqps", `sum by (pool) (rate(helve_deliveries_total`+in+`[$__rate_interval]))`, "{{pool}}"),
		}},
		{"Saturation", []Panel{
			graph("Busy slots",
				"percentunit", `sum by (pool) (helve_worker_slots{pool=~"$pool",state="busy"}) / sum by (pool) (helve_worker_slots`+in+`)`, "{{pool}}"),
			graph("Waiting calls", "short", `max by (pool) (helve_pool_backlog`+in+`)`, "{{pool}}"),
			graph("Age of the oldest waiting call", "s", `time() - min by (pool) (helve_pool_oldest_call_timestamp_seconds`+in+`)`, "{{pool}}"),
			graph("Refused because the backlog is full",
				"reqps", `sum by (pool) (rate(helve_overloaded_total`+in+`[$__rate_interval]))`, "{{pool}}"),
			graph("Calls in flight", "short", `sum by (pool) (helve_calls_in_flight`+in+`)`, "{{pool}}"),
		}},
		{"Workers", []Panel{
			graph("Live workers", "short", `max by (pool) (helve_pool_workers`+in+`)`, "{{pool}}"),
			graph("Slots", "short", `max by (pool) (helve_pool_worker_slots`+in+`)`, "{{pool}}"),
			graph("Delivered again, and moved",
				"reqps", `sum(rate(helve_redeliveries_total[$__rate_interval])) + sum(rate(helve_calls_moved_total[$__rate_interval]))`, "calls"),
			graph("Calls without the queue", "reqps", `sum by (outcome) (rate(helve_calls_direct_total[$__rate_interval]))`, "{{outcome}}"),
			graph("Workspaces split", "short", `max by (pool) (helve_workspaces_split`+in+`)`, "{{pool}}"),
			graph("Tools with different parameters under one version", "short", `max by (pool) (helve_tool_version_conflicts`+in+`)`, "{{pool}}"),
		}},
	}}
}

func tools() Dashboard {
	const in = `{tool=~"$tool"}`
	duration := quantiles("Duration", "helve_call_duration_seconds", in, "tool")
	for i := range duration.Queries {
		duration.Queries[i].Exemplars = true
	}
	duration.Help = "Points are single calls with their trace."
	return Dashboard{Name: "tools", Title: "Tools", Choices: []Choice{{"tool", "helve_calls_total"}}, Rows: []Row{
		{"Rate, errors, duration", []Panel{
			graph("Calls", "reqps", `sum by (tool) (rate(helve_calls_total`+in+`[$__rate_interval]))`, "{{tool}}"),
			graph("Failed share", "percentunit",
				`sum by (tool) (rate(helve_calls_total{tool=~"$tool",status="error"}[$__rate_interval])) / sum by (tool) (rate(helve_calls_total`+in+
					`[$__rate_interval]))`,
				"{{tool}}"),
			duration,
			graph("Errors by type", "reqps", `sum by (error_type) (rate(helve_calls_total{tool=~"$tool",status="error"}[$__rate_interval]))`,
				"{{error_type}}"),
		}},
		{"Saturation and limits", []Panel{
			graph("Tools running at a time", "short", `sum by (tool) (rate(helve_call_duration_seconds_sum`+in+`[$__rate_interval]))`, "{{tool}}"),
			graph("Tools that outlive their call", "short", `sum by (instance) (helve_stuck_calls)`, "{{instance}}"),
			graph("Refused by a rate limit", "reqps", `sum by (rule) (rate(helve_rate_limited_total[$__rate_interval]))`, "{{rule}}"),
			graph("Refused by a quota", "reqps", `sum(rate(helve_quota_refused_total[$__rate_interval]))`, "calls"),
		}},
		{"Scheduled tasks", []Panel{
			graph("Runs", "reqps", `sum by (outcome) (rate(helve_schedule_runs_total[$__rate_interval]))`, "{{outcome}}"),
			quantiles("Late by", "helve_schedule_lag_seconds", "", ""),
		}},
	}}
}
