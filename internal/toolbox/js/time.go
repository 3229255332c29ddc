package js

import (
	"strings"
	"time"
	_ "time/tzdata" // the zones must exist on a machine without a zone database, such as a minimal container

	"github.com/dop251/goja"

	"github.com/helve-dev/helve/tool"
)

// formatTime implements _time(timezone, format): the time as the tool get_current_time
// returns it, by default in UTC and in ISO 8601.
func (r *realm) formatTime(call goja.FunctionCall) goja.Value {
	zone, format := time.UTC, "iso8601"
	if v := call.Argument(0); !missing(v) {
		var err error
		if zone, err = loadZone(v.String()); err != nil {
			panic(r.failure(err))
		}
	}
	if v := call.Argument(1); !missing(v) {
		format = v.String()
	}
	now := time.Now
	if r.task.Now != nil {
		now = r.task.Now
	}
	switch format {
	case "iso8601", "ISO8601":
		return r.vm.ToValue(now().In(zone).Format(time.RFC3339))
	case "human_readable":
		return r.vm.ToValue(now().In(zone).Format("Monday, January 2, 2006 at 3:04:05 PM MST"))
	}
	panic(r.failure(tool.Fail(tool.ValidationError, "Invalid time format: '%s'. Use 'iso8601' or 'human_readable'.", cut(format, 64))))
}

func missing(v goja.Value) bool { return goja.IsUndefined(v) || goja.IsNull(v) }

// loadZone accepts only names of the IANA database, not those that mean this machine's
// own zone or a file in its zone directory.
func loadZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || name == "localtime" || strings.HasPrefix(name, "right/") {
		return nil, tool.Fail(tool.ValidationError, "Invalid timezone: '%s'. Use IANA timezone format (e.g., 'America/New_York').",
			cut(name, 64)).Because(err)
	}
	return zone, nil
}
