package people

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// zoneCode returns the time and the date of the program before and after it has waited as data, and
// those of a program in it.
const zoneCode = `const dates = [[program.now(), program.today()]]; await program.sleep(\"100ms\"); ` +
	`dates.push([program.now(), program.today()], await tools.run_program({code: \"return [program.now(), program.today()]\"})); return dates`

// TestProgramInAZone: program.today() is the date in the zone of the request, also after the program
// has waited and in programs that it makes; without a zone it is that in UTC. A zone that does not
// exist refuses the request.
func TestProgramInAZone(t *testing.T) {
	t.Parallel()
	s := system.Launch(t, system.Plan{Config: func(c *config.Config) { c.Durable.Hot = time.Millisecond }})
	for _, d := range []system.Door{s.HTTP(0), s.NATS()} {
		for zone, name := range map[string]string{"Pacific/Kiritimati": "Pacific/Kiritimati", "Pacific/Pago_Pago": "Pacific/Pago_Pago", "": "UTC"} {
			named := ""
			if zone != "" {
				named = `, "timezone": "` + zone + `"`
			}
			r := system.Execute(t, d, "default", `{"context": {"user": "ann"`+named+`}, "calls": [{"tool": "run_program", "arguments": {"code": "`+zoneCode+`"}}]}`)
			location, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			var dates [][2]string
			if err := json.Unmarshal(r.Results[0].Result, &dates); err != nil || len(dates) != 3 {
				t.Fatalf("%s: %+v", name, r.Results[0])
			}
			for _, at := range dates {
				now, err := time.Parse(time.RFC3339, at[0])
				if err != nil || now.In(location).Format(time.DateOnly) != at[1] {
					t.Errorf("%s: the date at %s is %s", name, at[0], at[1])
				}
			}
		}
		r := d.Ask(t, "default", "execute", nil, `{"context": {"timezone": "Mars/Base"}, "calls": [{"tool": "run_program", "arguments": {"code": "1"}}]}`)
		system.WantProblem(t, "a zone that does not exist", r, 400, client.BadRequest)
	}
}
