package dates

import (
	"strings"
	"time"
	_ "time/tzdata" // the zones must exist on a machine without a zone database, such as a minimal container

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/tool"
)

// Zone accepts names of the IANA database only. The time package also accepts "" and
// "Local", which mean this worker's own zone, and every name in the machine's zone
// directory, where right/ counts leap seconds.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" || name == "localtime" || strings.HasPrefix(name, "right/") {
		return nil, tool.Fail(tool.ValidationError, "Invalid timezone: '%s'. Use IANA timezone format (e.g., 'America/New_York').",
			textcut.Excerpt(name, 30)).Because(err)
	}
	return zone, nil
}

// ZoneOrUTC loads a zone by name. A worker's own zone means nothing to the caller, so
// "local" is UTC.
func ZoneOrUTC(name *string) (*time.Location, error) {
	if name == nil || *name == "" || *name == "local" || strings.EqualFold(*name, "UTC") {
		return time.UTC, nil
	}
	return Zone(*name)
}
