package telemetry

// Family is a metric that its owner counts with [Metrics.Count] or reports with
// [Metrics.Read].
type Family uint8

// The families. Their names and meanings are in the table below.
const (
	APIKeysRefused Family = iota
	AuditRefused
	AuditUnproven
	CallbackLag
	Callbacks
	CallbacksWaiting
	CircuitOpenings
	Circuits
	ConfigInfo
	ConsentsExpiring
	CredentialExpiry
	DatabaseConnections
	DatabaseLimit
	DatabaseWaits
	DatabaseWaitSeconds
	Draining
	EventStreams
	JetStreamRoundTrip
	JetStreamUp
	KeptDropped
	LeaseHeld
	MCPRequests
	NATSErrors
	NATSReconnects
	NATSRoundTrip
	PolicyInfo
	PolicyLoaded
	PolicyReloads
	PolicyRules
	PoolOldest
	PoolWorkers
	PoolWorkerSlots
	ProgramJournal
	ProgramReplayed
	Programs
	ProgramTurns
	Pushes
	QuotaRefused
	RateLimited
	ServicesRefused
	ServiceTokens
	Spans
	families
)

// kind is the origin of the values of a family.
type kind uint8

const (
	// counted is a counter that [Metrics.Count] raises.
	counted kind = iota
	// total is a counter that is read at each scrape; values of several parts of the
	// process are added up.
	total
	// sum, highest and lowest are gauges that are read at each scrape; they differ in the
	// value that counts if several parts of the process report one.
	sum
	highest
	lowest
)

type family struct {
	name, help string
	kind       kind
	labels     []string
}

// closed has the values of counted families with one label and a closed set of them. Their
// series begin at 0: an alert on an increase needs a value before the first event.
var closed = map[Family][]string{
	AuditRefused:  {"full", "unavailable"},
	AuditUnproven: {"unknown", "forged"},
	Callbacks:     {"delivered", "gone", "given_up", "no_result"},
	KeptDropped:   {"max_bytes", "behind"},
	NATSErrors:    {"slow_consumer", "permission", "disconnected", "credentials", "other"},
	PolicyReloads: {"success", "error"},
	ProgramTurns:  {"ended", "waits", "idle", "again"},
	Pushes:        {"delivered", "gone", "refused", "given_up"},
	Spans:         {string(SpanExported), string(SpanFailed), string(SpanDropped)},
}

var table = [families]family{
	APIKeysRefused: {
		"helve_api_keys_reload_failures_total", "Changes of the file of API keys that could not be used; the old keys stay in use.", counted, nil,
	},
	AuditRefused: {
		"helve_audit_refused_total", "Audit records that were not stored, by reason: full or unavailable.", counted, []string{"reason"},
	},
	AuditUnproven: {
		"helve_audit_unproven_total",
		"Audit records that were sealed and whose writer no key proves, by reason: unknown if the writer did not know the dispatcher that " +
			"seals, or forged. Of all dispatchers one counts them.",
		counted, []string{"reason"},
	},
	CallbackLag: {
		"helve_callback_lag_seconds",
		"How long ago the oldest result was there that was not delivered to its callback; 0 if none waits, and in dispatchers that do not send.",
		highest, nil,
	},
	Callbacks: {
		"helve_callbacks_total",
		"Callbacks that ended, by outcome: delivered, gone if the receiver answered 410, given_up after a day, or no_result if there was " +
			"nothing to send.",
		counted, []string{"outcome"},
	},
	CallbacksWaiting: {
		"helve_callbacks_waiting",
		"Callbacks that have not ended, by state: waits for the result of the call, or due at the receiver. Of all dispatchers one reports them.",
		sum, []string{"state"},
	},
	CircuitOpenings: {
		"helve_circuit_openings_total",
		"Times that a server outside failed so often for a tenant that requests to it are refused for some seconds.", counted, nil,
	},
	Circuits: {
		"helve_circuits",
		"Servers outside that failed lately, for each tenant, by the state of their circuit: closed, open while requests to it are refused, " +
			"or half_open while the next request decides.",
		sum, []string{"state"},
	},
	ConfigInfo: {
		"helve_config_info",
		"Always 1; the label is the start of the SHA-256 of the configuration in force. Processes with different values were configured " +
			"differently.",
		highest, []string{"sha256"},
	},
	ConsentsExpiring: {
		"helve_consents_expiring", "Requests that wait for a person and have less than a quarter of their time left.", highest, nil,
	},
	CredentialExpiry: {
		"helve_credential_expiry_timestamp_seconds",
		"When a certificate or credential that the process uses expires, in Unix time; of several in one file the first.", lowest,
		[]string{"credential"},
	},
	DatabaseConnections: {"helve_database_connections", "Open connections to a database, in_use or idle.", sum, []string{"database", "state"}},
	DatabaseLimit: {
		"helve_database_connections_limit", "Connections to a database that the process may open; 0 for no bound.", sum, []string{"database"},
	},
	DatabaseWaits: {
		"helve_database_waits_total", "Times that a query waited for a free connection to a database.", total, []string{"database"},
	},
	DatabaseWaitSeconds: {
		"helve_database_wait_seconds_total", "Time that queries waited for a free connection to a database.", total, []string{"database"},
	},
	Draining:     {"helve_draining", "1 while the process finishes its work and accepts nothing new, else 0.", highest, nil},
	EventStreams: {"helve_event_streams", "Event streams (SSE) that clients have open.", sum, nil},
	JetStreamRoundTrip: {
		"helve_jetstream_round_trip_seconds", "Time of the last request to JetStream for the state of a stream, measured every few seconds.",
		highest, nil,
	},
	JetStreamUp: {
		"helve_jetstream_up", "1 if JetStream answered the last request, else 0. It is 0 while there is no quorum.", lowest, nil,
	},
	KeptDropped: {
		"helve_kept_dropped_total",
		"Calls that are not kept for as long as history.keep says, by reason: max_bytes if newer ones displaced them, or behind if more " +
			"ended than could be packed. Of all dispatchers one counts them.",
		counted, []string{"reason"},
	},
	LeaseHeld:   {"helve_lease_held", "1 while this process holds the lease: of all dispatchers one does.", sum, []string{"lease"}},
	MCPRequests: {"helve_mcp_requests_in_flight", "Requests of MCP clients that are being answered, streams included.", sum, nil},
	NATSErrors: {
		"helve_nats_errors_total",
		"Errors of the connection to NATS, by cause: slow_consumer, permission, disconnected, credentials (a changed file that cannot be used; " +
			"the one before stays in use) or other.",
		counted, []string{"cause"},
	},
	NATSReconnects: {"helve_nats_reconnects_total", "Times that a lost connection to NATS was made again.", total, nil},
	NATSRoundTrip: {
		"helve_nats_round_trip_seconds", "Time of the last ping to the NATS server, measured every few seconds.", highest, nil,
	},
	PolicyInfo: {
		"helve_policy_info", "Always 1; the label is the start of the SHA-256 of the policy rules in force.", highest, []string{"sha256"},
	},
	PolicyLoaded: {"helve_policy_loaded_timestamp_seconds", "When the policy rules in force were loaded, in Unix time.", lowest, nil},
	PolicyReloads: {
		"helve_policy_reloads_total", "Times that changed policy rules were read, by outcome: success, or error if the old ones stay in force.",
		counted, []string{"outcome"},
	},
	PolicyRules: {"helve_policy_rules", "Policy rules in force.", highest, nil},
	PoolOldest: {
		"helve_pool_oldest_call_timestamp_seconds",
		"When the oldest call that waits for a worker of the pool was queued, in Unix time; absent if none waits.", lowest, []string{"pool"},
	},
	PoolWorkers: {
		"helve_pool_workers",
		"Live workers of the pool, as a dispatcher sees them. It is 0 for a pool that has tools or had workers, and none now.", highest,
		[]string{"pool"},
	},
	PoolWorkerSlots: {
		"helve_pool_worker_slots", "Slots of the live workers of the pool, as a dispatcher sees them.", highest, []string{"pool"},
	},
	ProgramJournal:  {"helve_program_journal_bytes_total", "Bytes that were appended to the journals of programs.", counted, nil},
	ProgramReplayed: {"helve_program_replayed_entries_total", "Entries of journals that turns of programs have read.", counted, nil},
	Programs: {
		"helve_programs",
		"Programs that have not ended, by state: queued, also while a worker runs them, or waiting. Every dispatcher reports all of them.",
		highest, []string{"state"},
	},
	ProgramTurns: {
		"helve_program_turns_total",
		"Turns of programs, by outcome: the program ended, waits, is idle (it was woken and waits again, and its journal has not grown), or " +
			"again if another turn must take it up.",
		counted, []string{"outcome"},
	},
	Pushes: {
		"helve_push_total",
		"Notifications of requests for consent, by outcome: delivered to the push service, gone if it knows the device no longer, refused if " +
			"it refuses the notification or its address is not public, or given_up after some attempts.",
		counted, []string{"outcome"},
	},
	QuotaRefused: {
		"helve_quota_refused_total", "Calls refused because their user or tenant had too many that were not done.", counted, nil,
	},
	RateLimited: {"helve_rate_limited_total", "Calls refused by a rule of rate_limits.", counted, []string{"rule"}},
	ServicesRefused: {
		"helve_services_reload_failures_total", "Changes of the services file that could not be read; the old file stays in use.", counted, nil,
	},
	ServiceTokens: {
		"helve_service_tokens_total", "Tokens that model providers reported, by service and direction: input or output.", counted,
		[]string{"service", "direction"},
	},
	Spans: {
		"helve_spans_total",
		"Spans of traces that ended, by outcome: exported, failed if the collector did not store them, or dropped because too many " +
			"waited for it.",
		counted, []string{"outcome"},
	},
}
