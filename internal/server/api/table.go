package api

import (
	"net/http"
	"slices"
)

// operations is the table of all operations.
var operations = []Operation{
	{Name: Execute, Method: http.MethodPost, Path: "/v1/execute", Body: true, Changes: true, Roles: callers, run: (*Service).execute},
	{Name: Me, Method: http.MethodGet, Path: "/v1/me", Roles: everyone, run: (*Service).me},
	{Name: "tools.list", Method: http.MethodGet, Path: "/v1/tools", Params: []string{
		"format", "toolset", "agent", "user", "group", "category", "q", "limit", "cursor",
	}, Numbers: []string{"limit"}, Roles: callers, run: (*Service).listTools},
	{
		Name: "tools.get", Method: http.MethodGet, Path: "/v1/tools/{name}", Params: []string{"name", "user"}, Roles: callers,
		run: (*Service).getTool,
	},
	{
		Name: "calls.list", Method: http.MethodGet, Path: "/v1/calls", Params: callParams, Numbers: []string{"limit", "from", "to"},
		Flags: []string{"contents"}, Roles: watchers, run: (*Service).listCalls,
	},
	{
		Name: "calls.get", Method: http.MethodGet, Path: "/v1/calls/{call_id}", Params: []string{"call_id", "include"}, Roles: viewers,
		run: (*Service).getCall,
	},
	{
		Name: "calls.cancel", Method: http.MethodPost, Path: "/v1/calls/{call_id}/cancel", Params: []string{"call_id"}, Changes: true,
		Roles: callers, run: (*Service).cancelCall,
	},
	{
		Name: "programs.list", Method: http.MethodGet, Path: "/v1/programs",
		Params:  []string{"status", "user", "agent", "trace_id", "limit", "cursor"},
		Numbers: []string{"limit"}, Roles: runners, run: (*Service).listPrograms,
	},
	{
		Name: "programs.get", Method: http.MethodGet, Path: "/v1/programs/{call_id}", Params: []string{"call_id"}, Roles: viewers,
		run: (*Service).getProgram,
	},
	{
		Name: "programs.retry", Method: http.MethodPost, Path: "/v1/programs/{call_id}/retry", Params: []string{"call_id"}, Changes: true,
		Roles: callers, run: (*Service).retryProgram,
	},
	{Name: Events, Method: http.MethodGet, Path: "/v1/events", Params: []string{"trace_id"}, Roles: viewers, run: (*Service).refuseEvents},

	{Name: "consent.list", Method: http.MethodGet, Path: "/v1/consents", Params: []string{
		"status", "user", "agent", "tool", "oldest", "revision", "wait_ms", "limit", "cursor",
	}, Numbers: []string{"limit", "wait_ms"}, Flags: []string{"oldest"}, Roles: onlookers, run: (*Service).listConsents},
	{
		Name: "consent.get", Method: http.MethodGet, Path: "/v1/consents/{consent_id}", Params: []string{"consent_id", "user"}, Roles: onlookers,
		run: (*Service).getConsent,
	},
	{
		Name: "consent.decide", Method: http.MethodPost, Path: "/v1/consents/{consent_id}/decision", Params: []string{"consent_id"}, Body: true,
		Changes: true, Roles: deciders, run: (*Service).decideConsent,
	},
	{Name: "tokens.mint", Method: http.MethodPost, Path: "/v1/tokens", Body: true, Changes: true, Roles: deciders, run: (*Service).mintToken},
	{Name: "grants.list", Method: http.MethodGet, Path: "/v1/grants", Params: []string{"user"}, Roles: keepers, run: (*Service).listGrants},
	{
		Name: "grants.revoke", Method: http.MethodDelete, Path: "/v1/grants/{grant_id}", Params: []string{"grant_id", "by"}, Changes: true,
		Roles: keepers, run: (*Service).revokeGrant,
	},

	{Name: "push.key", Method: http.MethodGet, Path: "/v1/push/key", Roles: keepers, run: (*Service).pushKey},
	{Name: "push.list", Method: http.MethodGet, Path: "/v1/push", Params: []string{"user"}, Roles: keepers, run: (*Service).listDevices},
	{Name: "push.subscribe", Method: http.MethodPost, Path: "/v1/push", Body: true, Changes: true, Roles: keepers, run: (*Service).subscribe},
	{
		Name: "push.unsubscribe", Method: http.MethodDelete, Path: "/v1/push", Params: []string{"endpoint", "user"}, Changes: true,
		Roles: keepers, run: (*Service).unsubscribe,
	},

	{
		Name: "audit.query", Method: http.MethodGet, Path: "/v1/audit", Params: append(slices.Clip(auditParams), "newest", "before"),
		Numbers: auditNumbers, Flags: []string{"newest"}, Roles: auditors, run: (*Service).queryAudit,
	},
	{
		Name: "audit.verify", Method: http.MethodGet, Path: "/v1/audit/verify", Params: []string{"index", "from_seq", "to_seq"},
		Numbers: []string{"from_seq", "to_seq"}, Flags: []string{"index"}, Roles: auditors, run: (*Service).verifyAudit,
	},
	{Name: "audit.rebuild", Method: http.MethodPost, Path: "/v1/audit/rebuild", Changes: true, Roles: admins, run: (*Service).rebuildAudit},
	{
		Name: "audit.export", Method: http.MethodGet, Path: "/v1/audit/export", Params: auditParams, Numbers: auditNumbers, Roles: auditors,
		run: (*Service).exportAudit,
	},
	{Name: "audit.public_key", Method: http.MethodGet, Path: "/v1/audit/public-key", Roles: everyone, Public: true, run: (*Service).auditKey},

	{Name: "agents.list", Method: http.MethodGet, Path: "/v1/agents", Roles: watchers, run: (*Service).listAgents},
	{
		Name: "agents.get", Method: http.MethodGet, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Roles: watchers,
		run: (*Service).getAgent,
	},
	{
		Name: "agents.put", Method: http.MethodPut, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Body: true, Changes: true,
		Roles: admins, run: (*Service).putAgent,
	},
	{
		Name: "agents.delete", Method: http.MethodDelete, Path: "/v1/agents/{agent}", Params: []string{"agent"}, Changes: true, Roles: admins,
		run: (*Service).deleteAgent,
	},
	{
		Name: "groups.list", Method: http.MethodGet, Path: "/v1/groups", Params: []string{"tool", "agent", "user"}, Roles: callers,
		run: (*Service).listGroups,
	},

	{
		Name: "custom.list", Method: http.MethodGet, Path: "/v1/custom-tools", Params: []string{"owner"}, Roles: onlookers,
		run: (*Service).listCustom,
	},
	{
		Name: "custom.get", Method: http.MethodGet, Path: "/v1/custom-tools/{name}", Params: []string{"name", "owner", "version"},
		Numbers: []string{"version"}, Roles: onlookers, run: (*Service).getCustom,
	},
	{
		Name: "custom.versions", Method: http.MethodGet, Path: "/v1/custom-tools/{name}/versions", Params: []string{"name", "owner"},
		Roles: onlookers, run: (*Service).listVersions,
	},
	{
		Name: "custom.share", Method: http.MethodPost, Path: "/v1/custom-tools/{name}/share", Params: []string{"name"}, Body: true, Changes: true,
		Roles: sharers, run: (*Service).shareCustom,
	},
	{
		Name: "custom.unshare", Method: http.MethodDelete, Path: "/v1/custom-tools/{name}/share", Params: []string{"name", "user"}, Changes: true,
		Roles: keepers, run: (*Service).unshareCustom,
	},
	{
		Name: "custom.toggle", Method: http.MethodPost, Path: "/v1/custom-tools/{name}/toggle", Params: []string{"name"}, Body: true,
		Changes: true, Roles: owners, run: (*Service).toggleCustom,
	},
	{
		Name: "custom.delete", Method: http.MethodDelete, Path: "/v1/custom-tools/{name}", Params: []string{"name", "owner"}, Changes: true,
		Roles: owners, run: (*Service).deleteCustom,
	},

	{Name: "remote.list", Method: http.MethodGet, Path: "/v1/remote", Roles: auditors, run: (*Service).listRemote},
	{
		Name: "remote.register", Method: http.MethodPost, Path: "/v1/remote/register", Body: true, Changes: true, Roles: providers,
		run: (*Service).registerRemote,
	},
	{
		Name: "remote.unregister", Method: http.MethodPost, Path: "/v1/remote/unregister", Body: true, Changes: true, Roles: providers,
		run: (*Service).unregisterRemote,
	},

	{
		Name: "workers.list", Method: http.MethodGet, Path: "/v1/workers", Params: []string{"pool", "brief"}, Flags: []string{"brief"},
		Roles: auditors, run: (*Service).listWorkers,
	},
	{
		Name: "workers.drain", Method: http.MethodPost, Path: "/v1/workers/{worker}/drain", Params: []string{"worker"}, Changes: true,
		Roles: admins, run: (*Service).drainWorker,
	},
	{
		Name: "workers.pause", Method: http.MethodPost, Path: "/v1/workers/{worker}/pause", Params: []string{"worker"}, Changes: true,
		Roles: admins, run: (*Service).pauseWorker,
	},
	{
		Name: "workers.resume", Method: http.MethodPost, Path: "/v1/workers/{worker}/resume", Params: []string{"worker"}, Changes: true,
		Roles: admins, run: (*Service).resumeWorker,
	},
	{Name: "pools.list", Method: http.MethodGet, Path: "/v1/pools", Roles: auditors, run: (*Service).listPools},
	{
		Name: "pools.drain", Method: http.MethodPost, Path: "/v1/pools/{pool}/drain", Params: []string{"pool"}, Changes: true, Roles: admins,
		run: (*Service).drainPool,
	},
	{
		Name: "pools.pause", Method: http.MethodPost, Path: "/v1/pools/{pool}/pause", Params: []string{"pool"}, Changes: true, Roles: admins,
		run: (*Service).pausePool,
	},
	{
		Name: "pools.resume", Method: http.MethodPost, Path: "/v1/pools/{pool}/resume", Params: []string{"pool"}, Changes: true, Roles: admins,
		run: (*Service).resumePool,
	},

	{
		Name: "dead.list", Method: http.MethodGet, Path: "/v1/dead", Params: []string{"limit", "cursor"}, Numbers: []string{"limit"},
		Roles: auditors, run: (*Service).listDead,
	},
	{
		Name: "dead.get", Method: http.MethodGet, Path: "/v1/dead/{seq}", Params: []string{"seq"}, Numbers: []string{"seq"}, Roles: auditors,
		run: (*Service).getDead,
	},
	{
		Name: "dead.requeue", Method: http.MethodPost, Path: "/v1/dead/{seq}/requeue", Params: []string{"seq"}, Numbers: []string{"seq"},
		Body: true, Changes: true, Roles: admins, run: (*Service).requeueDead,
	},
	{
		Name: "dead.drop", Method: http.MethodDelete, Path: "/v1/dead/{seq}", Params: []string{"seq"}, Numbers: []string{"seq"}, Changes: true,
		Roles: admins, run: (*Service).dropDead,
	},
	{
		Name: "metrics.history", Method: http.MethodGet, Path: "/v1/metrics/history", Params: []string{"range", "minutes"},
		Numbers: []string{"minutes"}, Roles: auditors, run: (*Service).metricsHistory,
	},
	{
		Name: "tools.stats", Method: http.MethodGet, Path: "/v1/tool-stats", Params: []string{"tool", "from", "to"},
		Numbers: []string{"from", "to"}, Roles: auditors, run: (*Service).toolStats,
	},
	{Name: "policy.get", Method: http.MethodGet, Path: "/v1/policy", Params: []string{"pool"}, Roles: auditors, run: (*Service).getPolicy},
	{Name: "policy.explain", Method: http.MethodPost, Path: "/v1/policy/explain", Body: true, Roles: viewers, run: (*Service).explainPolicy},
	{Name: "system.counts", Method: http.MethodGet, Path: "/v1/counts", Roles: onlookers, run: (*Service).counts},
	{Name: "system.check", Method: http.MethodGet, Path: "/v1/check", Roles: auditors, run: (*Service).checkSystem},
	{
		Name: "data.summary", Method: http.MethodGet, Path: "/v1/data", Params: []string{"user"}, Roles: owners,
		run: (*Service).summarizeData,
	},
	{
		Name: DataExport, Method: http.MethodGet, Path: "/v1/data/export", Params: []string{"user", "format"}, Roles: owners,
		run: (*Service).exportData,
	},
	{
		Name: "data.import", Method: http.MethodPost, Path: "/v1/data/import", Body: true, Changes: true, Roles: owners,
		run: (*Service).importData,
	},
	{
		Name: "data.delete", Method: http.MethodDelete, Path: "/v1/data", Params: []string{"user"}, Changes: true, Roles: owners,
		run: (*Service).deleteData,
	},
	{
		Name: "schedules.list", Method: http.MethodGet, Path: "/v1/schedules", Params: []string{"user", "limit", "cursor"},
		Numbers: []string{"limit"}, Roles: watchers, run: (*Service).listSchedules,
	},
	{
		Name: "schedules.get", Method: http.MethodGet, Path: "/v1/schedules/{id}", Params: []string{"id", "user"}, Roles: watchers,
		run: (*Service).getSchedule,
	},
	{
		Name: "schedules.delete", Method: http.MethodDelete, Path: "/v1/schedules/{id}", Params: []string{"id", "user"}, Changes: true,
		Roles: owners, run: (*Service).deleteSchedule,
	},

	{
		Name: "services.list", Method: http.MethodGet, Path: "/v1/services", Params: []string{"user"}, Roles: owners,
		run: (*Service).listServices,
	},
	{
		Name: "services.get", Method: http.MethodGet, Path: "/v1/services/{service}", Params: []string{"service", "user"}, Roles: owners,
		run: (*Service).getService,
	},
	{
		Name: "services.set", Method: http.MethodPut, Path: "/v1/services/{service}/{label}", Params: []string{"service", "label"}, Body: true,
		Changes: true, Roles: owners, run: (*Service).setService,
	},
	{
		Name: "services.delete", Method: http.MethodDelete, Path: "/v1/services/{service}/{label}", Params: []string{"service", "label", "user"},
		Changes: true, Roles: owners, run: (*Service).deleteService,
	},
	{
		Name: "services.test", Method: http.MethodPost, Path: "/v1/services/{service}/{label}/test", Params: []string{"service", "label", "user"},
		Changes: true, Roles: owners, run: (*Service).testService,
	},
	{
		Name: "services.connect", Method: http.MethodPost, Path: "/v1/services/{service}/{label}/connect",
		Params: []string{"service", "label", "user", "browser", "connection_id", "code"}, Flags: []string{"browser"}, Changes: true,
		Roles: owners, run: (*Service).connectService,
	},
	{
		Name: "services.connection", Method: http.MethodGet, Path: "/v1/services/{service}/{label}/connect",
		Params: []string{"service", "label", "user", "connection_id"}, Roles: owners, run: (*Service).getConnection,
	},
	{
		Name: "services.rotate", Method: http.MethodPost, Path: "/v1/services/rotate", Changes: true, Roles: admins,
		run: (*Service).rotateServices,
	},

	{
		Name: FilesList, Method: http.MethodGet, Path: "/v1/files/", Params: []string{"path", "user", "limit", "cursor"},
		Numbers: []string{"limit"}, Roles: owners, run: (*Service).listFiles,
	},
	{
		Name: FilesGet, Method: http.MethodGet, Path: "/v1/files/{path}", Params: []string{"path", "user"}, Roles: owners,
		run: (*Service).refuseFile,
	},
	{
		Name: FilesPut, Method: http.MethodPut, Path: "/v1/files/{path}", Params: []string{"path", "user"}, Changes: true, Roles: owners,
		run: (*Service).refuseFile,
	},
	{
		Name: FilesDelete, Method: http.MethodDelete, Path: "/v1/files/{path}", Params: []string{"path", "user"}, Changes: true, Roles: owners,
		run: (*Service).deleteFile,
	},

	{
		Name: "upstream.list", Method: http.MethodGet, Path: "/v1/upstream", Params: []string{"name"}, Roles: admins,
		run: (*Service).listUpstream,
	},
	{
		Name: "upstream.accept", Method: http.MethodPost, Path: "/v1/upstream/{name}/accept", Params: []string{"name"}, Body: true, Changes: true,
		Roles: admins, run: (*Service).acceptUpstream,
	},
}
