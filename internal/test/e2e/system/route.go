package system

// Route is the HTTP form of an operation.
type Route struct{ Method, Path string }

// Routes are the HTTP forms of the operations.
var Routes = map[string]Route{
	"execute":       {"POST", "/v1/execute"},
	"me":            {"GET", "/v1/me"},
	"tools.list":    {"GET", "/v1/tools"},
	"tools.get":     {"GET", "/v1/tools/{name}"},
	"calls.get":     {"GET", "/v1/calls/{call_id}"},
	"calls.cancel":  {"POST", "/v1/calls/{call_id}/cancel"},
	"agents.list":   {"GET", "/v1/agents"},
	"agents.get":    {"GET", "/v1/agents/{agent}"},
	"agents.put":    {"PUT", "/v1/agents/{agent}"},
	"agents.delete": {"DELETE", "/v1/agents/{agent}"},
	"groups.list":   {"GET", "/v1/groups"},

	"workers.pause":  {"POST", "/v1/workers/{worker}/pause"},
	"workers.resume": {"POST", "/v1/workers/{worker}/resume"},
	"workers.drain":  {"POST", "/v1/workers/{worker}/drain"},
	"pools.list":     {"GET", "/v1/pools"},
	"pools.pause":    {"POST", "/v1/pools/{pool}/pause"},
	"pools.resume":   {"POST", "/v1/pools/{pool}/resume"},
	"pools.drain":    {"POST", "/v1/pools/{pool}/drain"},

	"consent.list":     {"GET", "/v1/consents"},
	"consent.get":      {"GET", "/v1/consents/{consent_id}"},
	"consent.decide":   {"POST", "/v1/consents/{consent_id}/decision"},
	"tokens.mint":      {"POST", "/v1/tokens"},
	"grants.list":      {"GET", "/v1/grants"},
	"grants.revoke":    {"DELETE", "/v1/grants/{grant_id}"},
	"push.key":         {"GET", "/v1/push/key"},
	"push.list":        {"GET", "/v1/push"},
	"push.subscribe":   {"POST", "/v1/push"},
	"push.unsubscribe": {"DELETE", "/v1/push"},
	"audit.query":      {"GET", "/v1/audit"},
	"audit.verify":     {"GET", "/v1/audit/verify"},
	"audit.rebuild":    {"POST", "/v1/audit/rebuild"},
	"audit.export":     {"GET", "/v1/audit/export"},
	"audit.public_key": {"GET", "/v1/audit/public-key"},

	"custom.list":     {"GET", "/v1/custom-tools"},
	"custom.get":      {"GET", "/v1/custom-tools/{name}"},
	"custom.versions": {"GET", "/v1/custom-tools/{name}/versions"},
	"custom.share":    {"POST", "/v1/custom-tools/{name}/share"},
	"custom.unshare":  {"DELETE", "/v1/custom-tools/{name}/share"},
	"custom.toggle":   {"POST", "/v1/custom-tools/{name}/toggle"},
	"custom.delete":   {"DELETE", "/v1/custom-tools/{name}"},

	"remote.list":       {"GET", "/v1/remote"},
	"remote.register":   {"POST", "/v1/remote/register"},
	"remote.unregister": {"POST", "/v1/remote/unregister"},

	"metrics.history": {"GET", "/v1/metrics/history"},
	"tools.stats":     {"GET", "/v1/tool-stats"},
	"policy.get":      {"GET", "/v1/policy"},
	"policy.explain":  {"POST", "/v1/policy/explain"},

	"calls.list":     {"GET", "/v1/calls"},
	"dead.list":      {"GET", "/v1/dead"},
	"programs.list":  {"GET", "/v1/programs"},
	"programs.get":   {"GET", "/v1/programs/{call_id}"},
	"programs.retry": {"POST", "/v1/programs/{call_id}/retry"},
	"dead.get":       {"GET", "/v1/dead/{seq}"},
	"dead.requeue":   {"POST", "/v1/dead/{seq}/requeue"},
	"dead.drop":      {"DELETE", "/v1/dead/{seq}"},
	"system.check":   {"GET", "/v1/check"},

	"system.counts": {"GET", "/v1/counts"},
	"workers.list":  {"GET", "/v1/workers"},

	"services.list":       {"GET", "/v1/services"},
	"services.get":        {"GET", "/v1/services/{service}"},
	"services.set":        {"PUT", "/v1/services/{service}/{label}"},
	"services.delete":     {"DELETE", "/v1/services/{service}/{label}"},
	"services.test":       {"POST", "/v1/services/{service}/{label}/test"},
	"services.connect":    {"POST", "/v1/services/{service}/{label}/connect"},
	"services.connection": {"GET", "/v1/services/{service}/{label}/connect"},
	"services.rotate":     {"POST", "/v1/services/rotate"},

	"data.summary":     {"GET", "/v1/data"},
	"data.export":      {"GET", "/v1/data/export"},
	"data.import":      {"POST", "/v1/data/import"},
	"data.delete":      {"DELETE", "/v1/data"},
	"schedules.list":   {"GET", "/v1/schedules"},
	"schedules.get":    {"GET", "/v1/schedules/{id}"},
	"schedules.delete": {"DELETE", "/v1/schedules/{id}"},

	"files.list":   {"GET", "/v1/files/"},
	"files.get":    {"GET", "/v1/files/{path}"},
	"files.put":    {"PUT", "/v1/files/{path}"},
	"files.delete": {"DELETE", "/v1/files/{path}"},

	"upstream.list":   {"GET", "/v1/upstream"},
	"upstream.accept": {"POST", "/v1/upstream/{name}/accept"},
}
