package dashboards

func consent() Dashboard {
	return Dashboard{Name: "consent", Title: "Consent", Rows: []Row{
		{"Requests", []Panel{
			number("Waiting for a person", "short", `max(helve_consents_pending)`),
			number("Expiring soon", "short", `max(helve_consents_expiring)`),
			quantiles("Time to the verdict", "helve_consent_wait_seconds", "", ""),
			graph("Waiting and expiring", "short", `max(helve_consents_pending)`, "waiting"),
		}},
		{"Policy", []Panel{
			graph("Decisions by outcome and risk",
				"reqps", `sum by (outcome, risk) (rate(helve_policy_decisions_total[$__rate_interval]))`, "{{outcome}} {{risk}}"),
			graph("Workers by rules in force", "short", `count by (sha256) (helve_policy_info)`, "{{sha256}}"),
			graph("Rules in force", "short", `max by (instance) (helve_policy_rules)`, "{{instance}}"),
			graph("Age of the rules", "s", `time() - min by (instance) (helve_policy_loaded_timestamp_seconds)`, "{{instance}}"),
			graph("Changes read", "short", `sum by (outcome) (increase(helve_policy_reloads_total[$__rate_interval]))`, "{{outcome}}"),
			graph("Verdicts without a trusted signature", "short", `sum(increase(helve_verdicts_refused_total[$__rate_interval]))`, "verdicts"),
		}},
	}}
}

func audit() Dashboard {
	return Dashboard{Name: "audit", Title: "Audit", Rows: []Row{
		{"Trail", []Panel{
			graph("Records stored", "reqps", `sum(rate(helve_audit_records_total[$__rate_interval]))`, "records"),
			graph("Records not stored", "reqps", `sum by (reason) (rate(helve_audit_refused_total[$__rate_interval]))`, "{{reason}}"),
			graph("Records without a proven writer",
				"short", `sum by (reason) (increase(helve_audit_unproven_total[$__rate_interval]))`, "{{reason}}"),
			graph("Oldest record without a seal", "s", `max(helve_audit_seal_lag_seconds)`, "age"),
			graph("Dispatcher that seals", "short", `max by (instance, lease) (helve_lease_held)`, "{{instance}} {{lease}}"),
			graph("Records not indexed yet", "short", `min by (instance) (helve_audit_index_lag_records)`, "{{instance}}"),
			graph("Fill of the trail", "percentunit", `max by (stream) (helve_stream_fill_ratio{stream=~"HELVE_AUDIT|HELVE_SEALS"})`, "{{stream}}"),
			graph("Messages set aside", "short", `sum(increase(helve_dead_letters_total[$__rate_interval]))`, "messages"),
		}},
	}}
}

func sandbox() Dashboard {
	return Dashboard{Name: "sandbox", Title: "Sandbox and MCP servers", Rows: []Row{
		{"Sandboxes", []Panel{
			graph("Child processes", "short", `sum by (state) (helve_js_sandboxes)`, "{{state}}"),
			graph("Busy share", "percentunit", `sum by (instance) (helve_js_sandboxes{state="busy"}) / sum by (instance) (helve_js_sandboxes)`,
				"{{instance}}"),
			graph("Killed by reason", "short", `sum by (reason) (increase(helve_js_kills_total[$__rate_interval]))`, "{{reason}}"),
		}},
		{"MCP servers", []Panel{
			graph("Connected workers", "short", `sum by (server) (helve_upstream_up)`, "{{server}}"),
			graph("Connections tried again", "short", `sum by (server) (increase(helve_upstream_restarts_total[$__rate_interval]))`, "{{server}}"),
			graph("Withheld tools", "short", `max by (server) (helve_upstream_withheld_tools)`, "{{server}}"),
			quantiles("Time of a call", "helve_upstream_call_seconds", "", "server"),
			graph("Calls by outcome",
				"reqps", `sum by (server, outcome) (rate(helve_upstream_call_seconds_count[$__rate_interval]))`, "{{server}} {{outcome}}"),
		}},
	}}
}

func dependencies() Dashboard {
	return Dashboard{Name: "dependencies", Title: "Dependencies", Rows: []Row{
		{"NATS", []Panel{
			graph("Connected", "short", `min by (instance) (helve_nats_connected)`, "{{instance}}"),
			graph("JetStream answers", "short", `min by (instance) (helve_jetstream_up)`, "{{instance}}"),
			graph("Round trip", "s", `max by (instance) (helve_nats_round_trip_seconds)`, "{{instance}}"),
			graph("Round trip of JetStream", "s", `max by (instance) (helve_jetstream_round_trip_seconds)`, "{{instance}}"),
			graph("Connections made again", "short", `sum by (instance) (increase(helve_nats_reconnects_total[$__rate_interval]))`, "{{instance}}"),
			graph("Errors by cause", "short", `sum by (cause) (increase(helve_nats_errors_total[$__rate_interval]))`, "{{cause}}"),
		}},
		{"Streams", []Panel{
			graph("Fill", "percentunit", `max by (stream) (helve_stream_fill_ratio)`, "{{stream}}"),
			graph("Bytes", "bytes", `max by (stream) (helve_stream_bytes)`, "{{stream}}"),
			graph("Messages", "short", `max by (stream) (helve_stream_messages)`, "{{stream}}"),
			graph("Usable", "short", `min by (stream) (helve_stream_usable)`, "{{stream}}"),
			graph("Made again or changed back", "short", `sum by (stream) (increase(helve_stream_repairs_total[$__rate_interval]))`, "{{stream}}"),
			graph("Missing copies", "short",
				`max by (stream) (helve_stream_replicas{state="configured"}) - max by (stream) (helve_stream_replicas{state="current"})`, "{{stream}}"),
			graph("Disk of the account", "bytes", `max(helve_jetstream_storage_bytes)`, "used"),
		}},
		{"Outside", []Panel{
			graph("Servers outside that fail", "short", `sum by (instance, state) (helve_circuits)`, "{{instance}} {{state}}"),
			graph("Circuits opened", "short", `sum by (instance) (increase(helve_circuit_openings_total[$__rate_interval]))`, "{{instance}}"),
			graph("Calls and requests over a limit", "reqps", `sum by (rule) (rate(helve_rate_limited_total[$__rate_interval]))`, "{{rule}}"),
		}},
		{"Callbacks", []Panel{
			graph("Callbacks that wait", "short", `sum by (state) (helve_callbacks_waiting)`, "{{state}}"),
			graph("Age of the oldest result that was not delivered", "s", `max(helve_callback_lag_seconds)`, "oldest"),
			graph("Callbacks that ended", "short", `sum by (outcome) (increase(helve_callbacks_total[$__rate_interval]))`, "{{outcome}}"),
		}},
		{"Programs", []Panel{
			graph("Programs", "short", `max by (state) (helve_programs)`, "{{state}}"),
			graph("Turns", "reqps", `sum by (outcome) (rate(helve_program_turns_total[$__rate_interval]))`, "{{outcome}}"),
			graph("Entries that were read again", "short", `sum(rate(helve_program_replayed_entries_total[$__rate_interval]))`, "entries"),
			graph("Journals", "Bps", `sum(rate(helve_program_journal_bytes_total[$__rate_interval]))`, "bytes"),
		}},
		{"Databases and credentials", []Panel{
			graph("Connections in use", "percentunit",
				`sum by (instance, database) (helve_database_connections{state="in_use"}) / sum by (instance, database) (helve_database_connections_limit > 0)`,
				"{{instance}} {{database}}"),
			graph("Time spent waiting for a connection",
				"percentunit", `sum by (instance, database) (rate(helve_database_wait_seconds_total[$__rate_interval]))`, "{{instance}} {{database}}"),
			signed(graph("Time until a credential expires",
				"s", `min by (instance, credential) (helve_credential_expiry_timestamp_seconds) - time()`, "{{instance}} {{credential}}")),
			graph("Services file not read",
				"short", `sum by (instance) (increase(helve_services_reload_failures_total[$__rate_interval]))`, "{{instance}}"),
		}},
	}}
}
