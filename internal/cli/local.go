package cli

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// LocalNATS is the directory below the data directory where `helve up` keeps the
// credentials of its NATS server.
const LocalNATS = "nats-auth"

// localContext returns the file of the NATS context that `helve up` wrote for clients
// on this machine, if it is for server. It looks in the data directory named by
// HELVE_DATA, or ./data. Empty means that there is none.
func localContext(server string) string {
	if !strings.HasPrefix(server, "nats://") {
		return ""
	}
	file, err := filepath.Abs(filepath.Join(cmp.Or(os.Getenv("HELVE_DATA"), "data"), LocalNATS, "contexts", "local.json"))
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(file) //nolint:gosec // the operator names the directory
	var context struct {
		URL string `json:"url"`
	}
	if err != nil || json.Unmarshal(text, &context) != nil {
		return ""
	}
	if strings.Replace(context.URL, "//localhost:", "//127.0.0.1:",
		1) != strings.TrimSuffix(strings.Replace(server, "//localhost:", "//127.0.0.1:", 1), "/") {
		return ""
	}
	return file
}
