package config

import "time"

// Config has all settings of the dispatcher, of a worker and of `helve up`; each uses
// its own part. The yaml tags are the keys; mask marks values that may contain a
// password in a URL.
type Config struct {
	NATS       NATSSection       `yaml:"nats"`
	Durability DurabilitySection `yaml:"durability"`
	Streams    StreamsSection    `yaml:"streams"`
	HTTP       HTTPSection       `yaml:"http"`
	MCP        MCPSection        `yaml:"mcp"`
	Console    ConsoleSection    `yaml:"console"`
	Dispatcher DispatcherSection `yaml:"dispatcher"`
	Worker     WorkerSection     `yaml:"worker"`
	Share      ShareSection      `yaml:"share"`
	Quota      QuotaSection      `yaml:"quota"`
	Up         UpSection         `yaml:"up"`
	Consent    ConsentSection    `yaml:"consent"`
	Callbacks  CallbacksSection  `yaml:"callbacks"`
	Durable    DurableSection    `yaml:"durable"`
	Remote     RemoteSection     `yaml:"remote"`
	Policy     PolicySection     `yaml:"policy"`
	Auth       AuthSection       `yaml:"auth"`
	Audit      AuditSection      `yaml:"audit"`
	History    HistorySection    `yaml:"history"`
	Store      StoreSection      `yaml:"store"`
	Keys       KeysSection       `yaml:"keys"`
	Secrets    SecretsSection    `yaml:"secrets"`
	Sandbox    SandboxSection    `yaml:"sandbox"`
	Workspace  WorkspaceSection  `yaml:"workspace"`
	Programs   ProgramsSection   `yaml:"programs"`
	Docker     DockerSection     `yaml:"docker"`
	Desktop    DesktopSection    `yaml:"desktop"`
	PDF        PDFSection        `yaml:"pdf"`
	Tools      ToolsSection      `yaml:"tools"`
	Log        LogSection        `yaml:"log"`
	Telemetry  TelemetrySection  `yaml:"telemetry"`

	// Data is the directory that holds workspaces and, for `helve up`, the
	// embedded server's files.
	Data string `yaml:"data"`
	// ToolsDirs are directories of JavaScript tools.
	ToolsDirs []string `yaml:"tools_dirs"`
	// ToolsOverride allows such a tool to have the name of a built-in tool.
	ToolsOverride bool `yaml:"tools_override"`
	// ToolEnv is a list of TOOL.NAME=VALUE: such a tool reads the value as _env.NAME.
	ToolEnv []string `yaml:"tool_env" mask:"value"`
	// ServicesFile has the accounts of services that tools use.
	ServicesFile string `yaml:"services_file"`
	// ServiceTypes is a file of services that the operator declares.
	ServiceTypes string `yaml:"service_types"`
	// MCPFile has the MCP servers whose tools are offered.
	MCPFile string `yaml:"mcp_file"`
	// OpenAPIFile has the OpenAPI documents whose operations are offered as tools.
	OpenAPIFile string `yaml:"openapi_file"`
	// Diagnostics offers the group of diagnostic tools.
	Diagnostics bool `yaml:"diagnostics"`
	// Groups switch groups of tools: GROUP=on, GROUP=off, TENANT:GROUP=on.
	Groups []string `yaml:"groups"`
	// RateLimits are TOOL=COUNT/TIME, with " by user" to count each user separately.
	RateLimits []string `yaml:"rate_limits"`
	// ServiceRateLimits are SERVICE=COUNT/TIME, in the same form, for the requests to
	// outside services.
	ServiceRateLimits []string `yaml:"service_rate_limits"`
	// AllowHosts are hosts that the guarded HTTP port may reach: HOST, HOST:PORT or
	// CIDR.
	AllowHosts []string `yaml:"allow_hosts"`
	// Profile is the policy profile: strict, standard or auto.
	Profile string `yaml:"profile"`
}

// NATSSection configures the connection to NATS.
type NATSSection struct {
	// URL is one server or several, separated by commas.
	URL   string `yaml:"url" mask:"url"`
	Creds string `yaml:"creds"`
	// Context is the name of a NATS CLI context, which replaces URL, Creds and TLS.
	Context string     `yaml:"context"`
	TLS     TLSSection `yaml:"tls"`
	// Prefix is the prefix of every subject.
	Prefix string `yaml:"prefix"`
	// MonitorURL is the server's monitoring address, used to check the power profile.
	MonitorURL     string        `yaml:"monitor_url" mask:"url"`
	ConnectTimeout time.Duration `yaml:"connect_timeout"`
	// StoreDir is the directory of the embedded server of helve up. It is not a
	// setting.
	StoreDir string `yaml:"-"`
}

// TLSSection names PEM files. All are optional; Cert and Key must be set together.
type TLSSection struct {
	CA   string `yaml:"ca"`
	Cert string `yaml:"cert"`
	Key  string `yaml:"key"`
}

// DurabilitySection selects the failures that acknowledged data survives.
type DurabilitySection struct {
	// Profile is process or power.
	Profile string `yaml:"profile"`
	// Replicas is the number of replicas of each stream: 1, 3 or 5.
	Replicas int `yaml:"replicas"`
}

// StreamsSection bounds the streams. 0 bytes means no bound.
type StreamsSection struct {
	CallsMaxAge     time.Duration `yaml:"calls_max_age"`
	CallsMaxBytes   Bytes         `yaml:"calls_max_bytes"`
	ResultsMaxAge   time.Duration `yaml:"results_max_age"`
	ResultsMaxBytes Bytes         `yaml:"results_max_bytes"`
	// ResultsMaxMessages, OnceMaxBytes and OnceMaxMessages are 0 for what fits the machine.
	ResultsMaxMessages int   `yaml:"results_max_messages"`
	OnceMaxBytes       Bytes `yaml:"once_max_bytes"`
	OnceMaxMessages    int   `yaml:"once_max_messages"`
	// EventsReplay is the time for which the events of a trace can be replayed.
	EventsReplay time.Duration `yaml:"events_replay"`
}

// HTTPSection is the dispatcher's HTTP server.
type HTTPSection struct {
	Addr string `yaml:"addr"`
	// AdminAddr is the listen address for metrics and profiles; empty for none. They
	// are served on Addr too if that is a loopback address.
	AdminAddr string `yaml:"admin_addr"`
	// Console serves the console at /.
	Console bool `yaml:"console"`
	// AllowedHosts are host names that requests with side effects may use, in addition
	// to loopback names and IP addresses.
	AllowedHosts []string `yaml:"allowed_hosts"`
	// PublicURL is the address of the dispatchers for browsers; empty for that of Addr, if
	// it is a loopback address.
	PublicURL string `yaml:"public_url"`
	// AllowedOrigins are the origins of foreign web pages that may use the API.
	AllowedOrigins []string `yaml:"allowed_origins"`
	// PushHosts are hosts of push services with internal addresses, HOST, HOST:PORT or CIDR.
	PushHosts []string `yaml:"push_hosts"`
	MaxBody   Bytes    `yaml:"max_body"`
	// MaxFile bounds a file that is uploaded.
	MaxFile Bytes `yaml:"max_file"`
	// BodyMemory bounds the memory of all bodies that are being read or not answered
	// yet.
	BodyMemory Bytes `yaml:"body_memory"`
	// MaxStreams bounds the event streams that one credential may have open.
	MaxStreams        int           `yaml:"max_streams"`
	ReadHeaderTimeout time.Duration `yaml:"read_header_timeout"`
	// DrainDelay is the time before a drain in which requests are accepted and /readyz
	// reports the drain; 0 for a default by Addr.
	DrainDelay      time.Duration `yaml:"drain_delay"`
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout"`
	// Linger is the time that a drain gives clients to close their connections themselves.
	Linger time.Duration `yaml:"linger"`
}

// DispatcherSection has the limits of the dispatcher.
type DispatcherSection struct {
	// MaxBacklog is the maximum number of calls queued in one pool.
	MaxBacklog int `yaml:"max_backlog"`
	// DefaultWait is the wait_ms of a request that sets none.
	DefaultWait time.Duration `yaml:"default_wait"`
	MaxWait     time.Duration `yaml:"max_wait"`
	// QueueTTL is the longest time a call waits for a worker.
	QueueTTL           time.Duration `yaml:"queue_ttl"`
	MaxCallsPerRequest int           `yaml:"max_calls_per_request"`
	// DirectUnder is the longest that the last call of a tool took if its next one is handed
	// to a worker without being queued; with 0 every call is queued. DirectWait bounds the
	// wait for the result of such a call before it is queued.
	DirectUnder time.Duration `yaml:"direct_under"`
	DirectWait  time.Duration `yaml:"direct_wait"`
}

// Values of worker.affinity.
const (
	AffinityNone = "none"
	AffinityUser = "user"
)

// WorkerSection configures one worker.
type WorkerSection struct {
	Pools []string `yaml:"pools"`
	// Slots is the number of calls that run concurrently.
	Slots int `yaml:"slots"`
	// AckWait is the time after which a dead worker's calls are redelivered.
	AckWait      time.Duration `yaml:"ack_wait"`
	DrainTimeout time.Duration `yaml:"drain_timeout"`
	// MaxAttempts is the maximum number of workers that begin a call and leave no result.
	MaxAttempts int `yaml:"max_attempts"`
	// MaxInnerCalls bounds the nested calls of one call, at all levels.
	MaxInnerCalls int `yaml:"max_inner_calls"`
	// Affinity is user if all calls of a user for a pool go to the same worker, none if
	// they go to any.
	Affinity string `yaml:"affinity"`
	// HTTPAddr is the listen address for metrics and health.
	HTTPAddr string `yaml:"http_addr"`
}

// ShareSection sets how tenants and users share the slots of a pool.
type ShareSection struct {
	// QuickUser is the maximum number of a user's unfinished calls in the quick lane of
	// a pool, QuickTenant the same of a tenant. Each dispatcher counts its own.
	QuickUser   int `yaml:"quick_user"`
	QuickTenant int `yaml:"quick_tenant"`
	// Weights are TENANT=WEIGHT, for weights other than 1. Each worker reads them.
	Weights []string `yaml:"weights"`
}

// WeightOf returns the weights by tenant.
func (s ShareSection) WeightOf() map[string]int { return counts(s.Weights) }

// UpSection configures `helve up`.
type UpSection struct {
	Workers int `yaml:"workers"`
	// NATSAddr is the listen address of the embedded server.
	NATSAddr string `yaml:"nats_addr"`
}

// ConsentSection configures calls that wait for a person.
type ConsentSection struct {
	TTL time.Duration `yaml:"ttl"`
	// HighTTL is the TTL of high-risk calls.
	HighTTL time.Duration `yaml:"high_ttl"`
	// MaxPerUser is the maximum number of pending consent requests of one user.
	MaxPerUser int `yaml:"max_per_user"`
}

// PolicySection configures the policy. Each worker reads it.
type PolicySection struct {
	// Rules are Cedar files, or directories of *.cedar files.
	Rules []string `yaml:"rules"`
	// Tenants are TENANT=PROFILE, for exceptions from profile.
	Tenants []string `yaml:"tenants"`
	// Permissions are names that tools may require, in addition to the built-in ones.
	Permissions []string `yaml:"permissions"`
}

// AuthSection configures authentication. Without keys and an issuer, only loopback
// addresses are allowed.
type AuthSection struct {
	// KeysFile is a list of API keys by their hashes.
	KeysFile string `yaml:"keys_file"`
	// Issuer is an OpenID Connect issuer of accepted tokens, Audience the audience they
	// must have.
	Issuer   string `yaml:"issuer"`
	Audience string `yaml:"audience"`
	// TenantClaim, UserClaim and RolesClaim are the claims of its tokens with those
	// values.
	TenantClaim string `yaml:"tenant_claim"`
	UserClaim   string `yaml:"user_claim"`
	RolesClaim  string `yaml:"roles_claim"`
	// ClientID and ClientSecretFile are Helve's registration at the issuer, with which people
	// sign in, and ClientScopes what it requests. Empty for signing in with API keys only.
	ClientID         string   `yaml:"client_id"`
	ClientSecretFile string   `yaml:"client_secret_file"`
	ClientScopes     []string `yaml:"client_scopes"`
	// SessionIdle is the time without a request after which a browser's session ends,
	// SessionLife the time after which it ends in any case.
	SessionIdle time.Duration `yaml:"session_idle"`
	SessionLife time.Duration `yaml:"session_life"`
	// NATS selects the authentication of callers over NATS if there are credentials:
	// credential or server.
	NATS string `yaml:"nats"`
}

// The values of [AuthSection].NATS.
const (
	NATSCredential = "credential"
	NATSServer     = "server"
)

// AuditSection configures the audit trail.
type AuditSection struct {
	// MaxAge is the retention time of records, MaxBytes their maximum total size; 0
	// means no limit.
	MaxAge   time.Duration `yaml:"max_age"`
	MaxBytes Bytes         `yaml:"max_bytes"`
	// SealEvery and SealRecords trigger a seal, whichever comes first.
	SealEvery   time.Duration `yaml:"seal_every"`
	SealRecords int           `yaml:"seal_records"`
}

// StoreSection is the database with personal data and with the index of the audit trail.
type StoreSection struct {
	// URL is postgres://…; empty means SQLite in the data directory.
	URL string `yaml:"url" mask:"url"`
	// MaxItems and MaxBytes bound what one person may store; 0 is no bound.
	MaxItems int   `yaml:"max_items"`
	MaxBytes Bytes `yaml:"max_bytes"`
	// CacheBytes bounds the memory in which a worker keeps what it has read, such as
	// vectors.
	CacheBytes Bytes `yaml:"cache_bytes"`
}

// KeysSection locates a dispatcher's signing keys.
type KeysSection struct {
	// Dir is their directory; empty means keys in the data directory.
	Dir string `yaml:"dir"`
}

// SecretsSection locates the master keys that protect the entries of services.
type SecretsSection struct {
	// KeyFile is the file of the keys; KeyEnv the name of a variable that holds them.
	KeyFile string `yaml:"key_file"`
	KeyEnv  string `yaml:"key_env"`
}

// SandboxSection bounds the child processes that run code written by a model.
type SandboxSection struct {
	// Program is the program of a child; empty means this program.
	Program string `yaml:"program"`
	// Children is the maximum number of concurrent children; 0 means four for each CPU.
	Children int `yaml:"children"`
	// Wall, CPU, Memory and Output bound one run.
	Wall   time.Duration `yaml:"wall"`
	CPU    time.Duration `yaml:"cpu"`
	Memory Bytes         `yaml:"memory"`
	Output Bytes         `yaml:"output"`
	// Handover bounds the bytes of answers to scripts that a worker holds.
	Handover Bytes `yaml:"handover"`
}

// ProgramsSection locates the programs of the machine that tools run, such as git, and
// the files these may read.
type ProgramsSection struct {
	// Path is their search path, as in PATH; empty is the worker's own.
	Path string `yaml:"path"`
	// Readable are directories and files that programs may read and run, in addition to
	// the system's own.
	Readable []string `yaml:"readable"`
	// Unconfined runs them with the worker's rights, on a host that cannot confine
	// them.
	Unconfined bool `yaml:"unconfined"`
}

// DockerSection configures the engine that executes code.
type DockerSection struct {
	// Host is the engine; empty means the environment's, or the default socket.
	Host string `yaml:"host"`
	// Images are LANGUAGE=IMAGE, for images other than the default.
	Images []string `yaml:"images"`
	// Pull allows missing images to be pulled.
	Pull bool `yaml:"pull"`
	// Network is the engine's network for code that requests one; empty refuses such
	// code.
	Network string `yaml:"network"`
	// Parallel is the maximum number of concurrent containers; 0 is 4.
	Parallel int `yaml:"parallel"`
}

// PDFSection configures create_pdf.
type PDFSection struct {
	// Fonts are directories with fonts for scripts that the built-in fonts lack.
	Fonts []string `yaml:"fonts"`
}

// DesktopSection configures the desktop of the person whose machine a worker of the
// pool desktop runs on.
type DesktopSection struct {
	// Apps are the applications that may be opened: NAME=COMMAND.
	Apps []string `yaml:"apps"`
	// Tenant and User own the desktop; empty means any.
	Tenant string `yaml:"tenant"`
	User   string `yaml:"user"`
}
