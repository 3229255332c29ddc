package translation

import (
	"context"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/tongue"
	"github.com/helve-dev/helve/tool"
)

type languagesArgs struct {
	Filter string `json:"filter,omitempty" doc:"Part of a code or name." max:"100"`
}

type languagesResult struct {
	Languages []listed `json:"languages" doc:"By code."`
	Count     int      `json:"count" doc:"Languages that match."`
	Total     int      `json:"total" doc:"All languages."`
}

type listed struct {
	Code       string `json:"code"`
	Name       string `json:"name"`
	NativeName string `json:"nativeName,omitempty" doc:"Name in the language itself."`
}

var _ = tool.Add(Set, tool.Spec[languagesArgs, *languagesResult]{
	Name:         "list_languages",
	Description:  "List the languages for translate_text with their codes and names; a provider may lack some of them.",
	Tags:         []string{"languages", "supported", "available"},
	Errors:       []tool.Kind{},
	Example:      `{"filter":"portug"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      false,
	Idempotent:   true,
	Timeout:      10 * time.Second,
	Run:          listLanguages,
})

func listLanguages(_ context.Context, _ *tool.Call, args languagesArgs) (*languagesResult, error) {
	all := tongue.All()
	res := &languagesResult{Languages: []listed{}, Total: len(all)}
	part := strings.ToLower(strings.TrimSpace(args.Filter))
	for _, l := range all {
		if strings.Contains(strings.ToLower(l.Code+"\n"+l.Name+"\n"+l.Own), part) {
			res.Languages = append(res.Languages, listed{l.Code, l.Name, l.Own})
		}
	}
	res.Count = len(res.Languages)
	return res, nil
}
