package config

import "time"

// Config is every setting of the dispatcher, of a worker and of `helve up`,
// which each read the parts that concern them. The yaml tags are the keys;
// mask marks what may hold a password in a URL.
type Config struct {
	NATS       NATSSection       `yaml:"nats"`
	Durability DurabilitySection `yaml:"durability"`
	Streams    StreamsSection    `yaml:"streams"`
	HTTP       HTTPSection       `yaml:"http"`
	MCP        MCPSection        `yaml:"mcp"`
	Dispatcher DispatcherSection `yaml:"dispatcher"`
	Worker     WorkerSection     `yaml:"worker"`
	Up         UpSection         `yaml:"up"`
	Consent    ConsentSection    `yaml:"consent"`
	Policy     PolicySection     `yaml:"policy"`
	Auth       AuthSection       `yaml:"auth"`
	Audit      AuditSection      `yaml:"audit"`
	Store      StoreSection      `yaml:"store"`
	Keys       KeysSection       `yaml:"keys"`
	Sandbox    SandboxSection    `yaml:"sandbox"`
	Programs   ProgramsSection   `yaml:"programs"`
	Docker     DockerSection     `yaml:"docker"`
	Desktop    DesktopSection    `yaml:"desktop"`
	Log        LogSection        `yaml:"log"`
	Telemetry  TelemetrySection  `yaml:"telemetry"`

	// Data is the directory that holds workspaces and, for `helve up`, the
	// embedded server's files.
	Data string `yaml:"data"`
	// ToolsDirs are directories of JavaScript tools.
	ToolsDirs []string `yaml:"tools_dirs"`
	// ToolsOverride lets such a tool take the name of a built-in one.
	ToolsOverride bool `yaml:"tools_override"`
	// ToolEnv is TOOL.NAME=VALUE: what such a tool finds as _env.NAME.
	ToolEnv []string `yaml:"tool_env" mask:"value"`
	// ServicesFile holds the accounts of services that tools use.
	ServicesFile string `yaml:"services_file"`
	// MCPFile holds the MCP servers whose tools are offered.
	MCPFile string `yaml:"mcp_file"`
	// Diagnostics offers the group of diagnostic tools.
	Diagnostics bool `yaml:"diagnostics"`
	// Groups switch groups of tools: GROUP=on, GROUP=off, TENANT:GROUP=on.
	Groups []string `yaml:"groups"`
	// RateLimits are TOOL=COUNT/TIME, with " by user" to count each user apart.
	RateLimits []string `yaml:"rate_limits"`
	// AllowHosts opens the guarded HTTP port to HOST, HOST:PORT or CIDR.
	AllowHosts []string `yaml:"allow_hosts"`
	// Profile is the policy profile: strict, standard or auto.
	Profile string `yaml:"profile"`
}

// NATSSection says how to reach NATS.
type NATSSection struct {
	// URL is one server or several, parted by commas.
	URL   string `yaml:"url" mask:"url"`
	Creds string `yaml:"creds"`
	// Context names a NATS CLI context, which takes the place of URL, Creds
	// and TLS.
	Context string     `yaml:"context"`
	TLS     TLSSection `yaml:"tls"`
	// Prefix begins every subject.
	Prefix string `yaml:"prefix"`
	// MonitorURL is the server's monitoring address, which tells whether the
	// power profile holds.
	MonitorURL     string        `yaml:"monitor_url" mask:"url"`
	ConnectTimeout time.Duration `yaml:"connect_timeout"`
}

// TLSSection names PEM files. All are optional; Cert and Key come together.
type TLSSection struct {
	CA   string `yaml:"ca"`
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// DurabilitySection says what an acknowledgement survives.
type DurabilitySection struct {
	// Profile is process or power.
	Profile string `yaml:"profile"`
	// Replicas of each stream: 1, 3 or 5.
	Replicas int `yaml:"replicas"`
}

// StreamsSection bounds what the streams keep. 0 bytes means no bound.
type StreamsSection struct {
	CallsMaxAge     time.Duration `yaml:"calls_max_age"`
	CallsMaxBytes   Bytes         `yaml:"calls_max_bytes"`
	ResultsMaxAge   time.Duration `yaml:"results_max_age"`
	ResultsMaxBytes Bytes         `yaml:"results_max_bytes"`
	// EventsReplay is how long the events of a trace can be replayed.
	EventsReplay time.Duration `yaml:"events_replay"`
}

// HTTPSection is the dispatcher's HTTP server.
type HTTPSection struct {
	Addr string `yaml:"addr"`
	// AllowedHosts are names under which it may be asked to change something,
	// beside loopback names and IP addresses.
	AllowedHosts []string `yaml:"allowed_hosts"`
	// AllowedOrigins are the origins of foreign web pages that may use the API.
	AllowedOrigins    []string      `yaml:"allowed_origins"`
	MaxBody           Bytes         `yaml:"max_body"`
	ReadHeaderTimeout time.Duration `yaml:"read_header_timeout"`
	ShutdownTimeout   time.Duration `yaml:"shutdown_timeout"`
	// Linger is how long a drain lets clients end their connections themselves.
	Linger time.Duration `yaml:"linger"`
}

// What MCP clients are offered.
const (
	MCPAll       = "all"
	MCPDiscovery = "discovery"
)

// MCPSection is the dispatcher's door for MCP clients.
type MCPSection struct {
	// Tools is all, or discovery: only the tools that find and run the others.
	Tools string `yaml:"tools"`
	// TaskAfter is when a call becomes a task for a client that knows tasks.
	TaskAfter time.Duration `yaml:"task_after"`
	// ConsoleURL is where a person decides about a consent, whose id is put at its end;
	// empty lets clients show the question themselves.
	ConsoleURL string `yaml:"console_url"`
}

// DispatcherSection bounds what the dispatcher accepts.
type DispatcherSection struct {
	// MaxBacklog is how many calls may wait in one pool.
	MaxBacklog int `yaml:"max_backlog"`
	// DefaultWait is the wait_ms of a request that names none.
	DefaultWait time.Duration `yaml:"default_wait"`
	MaxWait     time.Duration `yaml:"max_wait"`
	// QueueTTL is how long a call may wait for a worker.
	QueueTTL           time.Duration `yaml:"queue_ttl"`
	MaxCallsPerRequest int           `yaml:"max_calls_per_request"`
}

// WorkerSection is one worker.
type WorkerSection struct {
	Pools []string `yaml:"pools"`
	// Slots is how many calls run at once.
	Slots int `yaml:"slots"`
	// AckWait is how soon a dead worker's calls go elsewhere.
	AckWait      time.Duration `yaml:"ack_wait"`
	DrainTimeout time.Duration `yaml:"drain_timeout"`
	// MaxAttempts is how often a call is delivered before it is given up.
	MaxAttempts int `yaml:"max_attempts"`
	// HTTPAddr serves metrics and health.
	HTTPAddr string `yaml:"http_addr"`
}

// UpSection is `helve up`.
type UpSection struct {
	Workers int `yaml:"workers"`
	// NATSAddr is where the embedded server listens.
	NATSAddr string `yaml:"nats_addr"`
}

// ConsentSection is about calls that wait for a person.
type ConsentSection struct {
	TTL time.Duration `yaml:"ttl"`
	// HighTTL is the same for calls of high risk.
	HighTTL time.Duration `yaml:"high_ttl"`
	// MaxPerUser is how many requests of one user may wait.
	MaxPerUser int `yaml:"max_per_user"`
}

// PolicySection is what decides whether a call runs. Each worker reads it.
type PolicySection struct {
	// Rules are Cedar files, or directories of *.cedar files.
	Rules []string `yaml:"rules"`
	// Tenants are TENANT=PROFILE, where that differs from profile.
	Tenants []string `yaml:"tenants"`
	// Permissions are names that tools may require, beside the built-in ones.
	Permissions []string `yaml:"permissions"`
}

// AuthSection says how callers over HTTP prove who they are. While it names
// neither keys nor an issuer, only loopback may be served.
type AuthSection struct {
	// KeysFile lists API keys by their hashes.
	KeysFile string `yaml:"keys_file"`
	// Issuer is an OpenID Connect issuer whose tokens are taken, Audience what
	// they must be made for.
	Issuer   string `yaml:"issuer"`
	Audience string `yaml:"audience"`
	// TenantClaim, UserClaim and RolesClaim are where its tokens name those.
	TenantClaim string `yaml:"tenant_claim"`
	UserClaim   string `yaml:"user_claim"`
	RolesClaim  string `yaml:"roles_claim"`
}

// AuditSection is the audit trail.
type AuditSection struct {
	// MaxAge is how long records are kept, MaxBytes how many bytes of them; 0
	// means for ever and without bound.
	MaxAge   time.Duration `yaml:"max_age"`
	MaxBytes Bytes         `yaml:"max_bytes"`
	// SealEvery and SealRecords say when a seal is due, whichever is first.
	SealEvery   time.Duration `yaml:"seal_every"`
	SealRecords int           `yaml:"seal_records"`
}

// StoreSection is the database that the audit trail is indexed in.
type StoreSection struct {
	// URL is postgres://…; empty means SQLite in the data directory.
	URL string `yaml:"url" mask:"url"`
}

// KeysSection says where a dispatcher keeps its signing keys.
type KeysSection struct {
	// Dir holds them; empty means keys in the data directory.
	Dir string `yaml:"dir"`
}

// SandboxSection bounds the child processes in which a worker runs code that a
// model wrote.
type SandboxSection struct {
	// Program is what children are started from; empty means this program.
	Program string `yaml:"program"`
	// Children is how many run at once; 0 means four for each CPU.
	Children int `yaml:"children"`
	// Wall, CPU, Memory and Output bound one run.
	Wall   time.Duration `yaml:"wall"`
	CPU    time.Duration `yaml:"cpu"`
	Memory Bytes         `yaml:"memory"`
	Output Bytes         `yaml:"output"`
}

// ProgramsSection is where tools find the programs of the machine they run, git for
// instance, and what those may read.
type ProgramsSection struct {
	// Path is where programs are looked for, as PATH; empty is the worker's own.
	Path string `yaml:"path"`
	// Readable are directories and files that programs may read and run, beside the
	// system's own.
	Readable []string `yaml:"readable"`
	// Unconfined runs them as the worker itself, on a host that cannot confine them.
	Unconfined bool `yaml:"unconfined"`
}

// DockerSection is the engine that code is executed on.
type DockerSection struct {
	// Host is the engine; empty is what the environment says, or its usual socket.
	Host string `yaml:"host"`
	// Images are LANGUAGE=IMAGE, where that differs from the default.
	Images []string `yaml:"images"`
	// Pull lets an image that is not there be fetched.
	Pull bool `yaml:"pull"`
	// Network is the engine's network for code that asks for one; empty refuses it.
	Network string `yaml:"network"`
	// Parallel is how many containers run at once; 0 is 4.
	Parallel int `yaml:"parallel"`
}

// DesktopSection is the desktop of the person whose machine a worker of the pool
// desktop runs on.
type DesktopSection struct {
	// Apps are NAME=COMMAND: the applications that may be opened.
	Apps []string `yaml:"apps"`
	// Tenant and User are whose desktop it is; empty is anybody's.
	Tenant string `yaml:"tenant"`
	User   string `yaml:"user"`
}

// LogSection is the log on standard error.
type LogSection struct {
	// Level is debug, info, warn or error.
	Level string `yaml:"level"`
	// Format is auto (console on a terminal, else JSON), json or console.
	Format string `yaml:"format"`
}

// TelemetrySection is tracing and profiling.
type TelemetrySection struct {
	// OTLPEndpoint is the base URL of an OTLP/HTTP collector.
	OTLPEndpoint string `yaml:"otlp_endpoint" mask:"url"`
	ServiceName  string `yaml:"service_name"`
	// SampleRatio is the share of traces recorded, 0 to 1.
	SampleRatio float64 `yaml:"sample_ratio"`
	Pprof       bool    `yaml:"pprof"`
}
