package config

import (
	_ "embed"
	"slices"
	"time"
)

//go:embed default.yaml
var defaultYAML []byte

// DefaultYAML returns default.yaml: every key with its default and a comment.
func DefaultYAML() []byte { return slices.Clone(defaultYAML) }

// Default returns the settings that apply if nothing is set. It is valid.
func Default() Config {
	return Config{
		NATS:       NATSSection{URL: "nats://127.0.0.1:4222", Prefix: "helve.v1", ConnectTimeout: 2 * time.Second},
		Durability: DurabilitySection{Profile: "process", Replicas: 1},
		Streams: StreamsSection{
			CallsMaxAge:   24 * time.Hour,
			ResultsMaxAge: time.Hour,
			EventsReplay:  10 * time.Minute,
		},
		HTTP: defaultHTTP(),
		MCP:  MCPSection{Tools: MCPAll, TaskAfter: 2 * time.Second},
		Dispatcher: DispatcherSection{
			MaxBacklog:         200_000,
			DefaultWait:        30 * time.Second,
			MaxWait:            5 * time.Minute,
			QueueTTL:           15 * time.Minute,
			MaxCallsPerRequest: 1024,
			DirectUnder:        100 * time.Millisecond,
			DirectWait:         250 * time.Millisecond,
		},
		Worker: WorkerSection{
			Pools:         []string{"default"},
			Slots:         256,
			AckWait:       2 * time.Second,
			DrainTimeout:  25 * time.Second,
			MaxAttempts:   10,
			MaxInnerCalls: 200,
			Affinity:      AffinityNone,
			HTTPAddr:      "127.0.0.1:0",
		},
		Share:     ShareSection{QuickUser: 16, QuickTenant: 64, Weights: []string{}},
		Quota:     QuotaSection{User: 120_000, Tenant: 150_000, Tenants: []string{}},
		Up:        UpSection{Workers: 1, NATSAddr: "127.0.0.1:4222"},
		Consent:   ConsentSection{TTL: 10 * time.Minute, HighTTL: 2 * time.Minute, MaxPerUser: 100},
		Callbacks: CallbacksSection{AllowedHosts: []string{}, MaxWaiting: 10_000},
		Durable:   DurableSection{Hot: 2 * time.Second, MaxWaiting: 100, MaxWaitingTenant: 10_000, ConsentTTL: 24 * time.Hour},
		Policy:    PolicySection{Rules: []string{}, Tenants: []string{}, Permissions: []string{}},
		Auth: AuthSection{
			Audience: "helve", TenantClaim: "tenant", UserClaim: "sub", RolesClaim: "roles", NATS: NATSCredential,
			ClientScopes: []string{"openid"}, SessionIdle: 8 * time.Hour, SessionLife: 24 * time.Hour,
		},
		Audit: AuditSection{SealEvery: time.Second, SealRecords: 1000},
		History: HistorySection{Keep: KeepSection{
			Errors: 30 * 24 * time.Hour, Successes: 24 * time.Hour, Tools: []string{}, MaxBytes: 1 << 30, Tenants: []string{},
		}},
		Sandbox:   SandboxSection{Wall: 30 * time.Second, CPU: 5 * time.Second, Memory: 50 << 20, Output: 1 << 20, Handover: 256 << 20},
		Store:     StoreSection{MaxItems: 1_000_000, MaxBytes: 1 << 30, CacheBytes: 512 << 20},
		Workspace: WorkspaceSection{MaxBytes: 1 << 30, MaxFiles: 100_000, Versions: 10, VersionBytes: 100 << 20},
		Log:       LogSection{Level: "info", Format: "auto"},
		Telemetry: TelemetrySection{SampleRatio: 1, SampleParent: true, TraceHosts: []string{}},
		Data:      "./data",
		ToolsDirs: []string{},
		Remote:    RemoteSection{Tools: []string{}},
		ToolEnv:   []string{},
		Programs:  ProgramsSection{Readable: []string{}}, Docker: DockerSection{Images: []string{}}, Desktop: DesktopSection{Apps: []string{}},
		PDF:    PDFSection{Fonts: []string{"/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts"}},
		Tools:  ToolsSection{Currency: "TRY", Search: []string{"searxng", "brave", "tavily"}},
		Groups: []string{}, RateLimits: []string{}, ServiceRateLimits: []string{}, AllowHosts: []string{},
		Profile: "standard",
	}
}

func defaultHTTP() HTTPSection {
	return HTTPSection{
		Addr:              "127.0.0.1:8080",
		Console:           true,
		AllowedHosts:      []string{},
		AllowedOrigins:    []string{},
		PushHosts:         []string{},
		MaxBody:           8 << 20,
		MaxFile:           64 << 20,
		BodyMemory:        256 << 20,
		MaxStreams:        100,
		ReadHeaderTimeout: 5 * time.Second,
		ShutdownTimeout:   10 * time.Second,
		Linger:            500 * time.Millisecond,
	}
}
