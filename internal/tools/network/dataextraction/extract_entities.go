package dataextraction

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/lib/textcut"
	"github.com/helve-dev/helve/internal/lib/textfind"
	"github.com/helve-dev/helve/tool"
)

type entitiesArgs struct {
	Text              string   `json:"text" doc:"Text to search."`
	EntityTypes       []string `json:"entityTypes,omitempty" doc:"What to find; all if it is left out." enum:"person,organization,location,date,time,money,percentage,email,phone,url,product,event"`
	IncludeConfidence bool     `json:"includeConfidence,omitempty" doc:"Add the confidence of each type: 1 for forms that are exact, less for those that are likely."`
}

type entities struct {
	Text                 string              `json:"text" doc:"Beginning of the text, 200 characters."`
	BasicEntities        map[string][]string `json:"basicEntities" doc:"By type, as they are written, each once; only types that were found."`
	EntityTypesRequested any                 `json:"entityTypesRequested" doc:"The types that were asked for, or \"all\"."`
	IncludeConfidence    bool                `json:"includeConfidence"`
	Confidence           map[string]float64  `json:"confidence,omitempty" doc:"By type, 0 to 1."`
}

// entityFinders are the types that are found by their form, with the confidence of a find.
var entityFinders = []struct {
	name, finder string
	confidence   float64
}{
	{"email", "emails", 1}, {"url", "urls", 1}, {"phone", "phones", 0.8},
	{"money", "money", 0.9}, {"percentage", "percentages", 1}, {"date", "dates", 0.9},
}

// shownText is the number of characters of the text in a result.
const shownText = 200

var _ = tool.Add(Set, tool.Spec[entitiesArgs, *entities]{
	Name:        "extract_entities",
	Description: "Find mail addresses, URLs, phone numbers, amounts of money, percentages and dates in a text by their form, without a model.",
	Tags:        []string{"entity extraction", "ner", "name", "date", "place"},
	Errors:      []tool.Kind{},
	Example:     `{"text":"Pay 25 EUR to ann@example.com before 2026-12-01."}`,
	Risk:        tool.Low,
	Mutates:     false,
	Idempotent:  true,
	Timeout:     10 * time.Second,
	Run:         extractEntities,
})

func extractEntities(ctx context.Context, call *tool.Call, args entitiesArgs) (*entities, error) {
	if err := needText(args.Text, "Text is required for entity extraction"); err != nil {
		return nil, err
	}
	res := &entities{
		Text:                 textcut.Excerpt(args.Text, shownText),
		BasicEntities:        map[string][]string{},
		EntityTypesRequested: "all",
		IncludeConfidence:    args.IncludeConfidence,
	}
	if len(args.EntityTypes) > 0 {
		res.EntityTypesRequested = args.EntityTypes
	}
	if args.IncludeConfidence {
		res.Confidence = map[string]float64{}
	}
	byForm := map[string]bool{}
	for _, e := range entityFinders {
		byForm[e.name] = true
		if len(args.EntityTypes) > 0 && !slices.Contains(args.EntityTypes, e.name) {
			continue
		}
		found, err := textfind.Search(ctx, textfind.Finders[e.finder], args.Text, true)
		if err != nil {
			return nil, err
		}
		if found.Total > len(found.Matches) {
			call.Note("showing %d of %d of type %s; send the text in parts for the others.", len(found.Matches), found.Total, e.name)
		}
		if found.Total > 0 {
			res.BasicEntities[e.name] = found.Matches
			if res.Confidence != nil {
				res.Confidence[e.name] = e.confidence
			}
		}
	}
	if others := slices.DeleteFunc(slices.Clone(args.EntityTypes), func(name string) bool { return byForm[name] }); len(others) > 0 {
		call.Note("%s cannot be found by their form; use extract_structured_data with a schema for them.", strings.Join(others, ", "))
	}
	return res, nil
}
