package utilities

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/random"
	"github.com/helve-dev/helve/tool"
)

type generateUUIDArgs struct {
	Count  *float64 `json:"count,omitempty" doc:"How many, at most 10." default:"1"`
	Format string   `json:"format,omitempty" doc:"standard is lower case with dashes." enum:"standard,no-dashes,uppercase" default:"standard"`
}

type generateUUIDResult struct {
	UUID  string   `json:"uuid,omitempty" doc:"The UUID, if one was asked for."`
	UUIDs []string `json:"uuids,omitempty" doc:"The UUIDs, if more were asked for."`
	Count int      `json:"count,omitempty"`
}

const maxUUIDs = 10

var _ = tool.Add(Set, tool.Spec[generateUUIDArgs, generateUUIDResult]{
	Name: "generate_uuid",
	Description: "Make one or more random UUIDs (version 4), for whatever needs an identifier that nothing else has; " +
		"returns the uuid or a list of uuids.",
	Tags:       []string{"uuid", "id", "unique", "identifier", "guid", "random"},
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Errors:     []tool.Kind{},
	Example:    `{"count": 2}`,
	Timeout:    5 * time.Second,
	Run:        generateUUID,
})

func generateUUID(_ context.Context, _ *tool.Call, args generateUUIDArgs) (generateUUIDResult, error) {
	count := random.Count(calc.ToCount(args.Count), 1, maxUUIDs)
	uuids := make([]string, count)
	for i := range uuids {
		id, err := uuid.NewRandom()
		if err != nil {
			return generateUUIDResult{}, err
		}
		uuids[i] = id.String()
		switch args.Format {
		case "no-dashes":
			uuids[i] = strings.ReplaceAll(uuids[i], "-", "")
		case "uppercase":
			uuids[i] = strings.ToUpper(uuids[i])
		}
	}
	if count == 1 {
		return generateUUIDResult{UUID: uuids[0]}, nil
	}
	return generateUUIDResult{UUIDs: uuids, Count: count}, nil
}
