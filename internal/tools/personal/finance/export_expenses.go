package finance

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/helve-dev/helve/tool"
)

type exportArgs struct {
	Format     string `json:"format" doc:"csv for spreadsheets, json for programs." enum:"csv,json"`
	OutputPath string `json:"outputPath,omitempty" doc:"File of the workspace to write; a name with the time is chosen if it is left out."`
	StartDate  string `json:"startDate,omitempty" doc:"The first day, YYYY-MM-DD."`
	EndDate    string `json:"endDate,omitempty" doc:"The last day, YYYY-MM-DD."`
	Category   string `json:"category,omitempty" doc:"Only expenses of this category." enum:"food,transport,utilities,entertainment,shopping,health,education,travel,subscription,housing,other"`
}

type exportResult struct {
	Success      bool   `json:"success"`
	Format       string `json:"format"`
	Path         string `json:"path"`
	ExpenseCount int    `json:"expenseCount"`
	Message      string `json:"message"`
}

var _ = tool.Add(Set, tool.Spec[exportArgs, *exportResult]{
	Name: "export_expenses",
	Description: "Write the person's expenses to a CSV or JSON file of the workspace, for a spreadsheet or another program, " +
		"and return its path.",
	Tags:         []string{"export", "report", "csv", "excel", "download expenses"},
	Example:      `{"format":"csv","outputPath":"expenses.csv","startDate":"2026-11-01"}`,
	Risk:         tool.Low,
	Confirmation: tool.ConfirmNever,
	Mutates:      true,
	Idempotent:   true,
	Scopes:       tool.Scopes{Paths: []string{"workspace"}},
	Needs:        tool.NeedStore | tool.NeedFiles,
	Errors:       []tool.Kind{tool.PathNotAllowed, tool.FileNotFound, tool.ExecutionError},
	Timeout:      timeout,
	Changes: func(_ context.Context, _ *tool.Call, args exportArgs) ([]tool.Change, error) {
		return tool.Replaces(strings.TrimSpace(args.OutputPath)), nil
	},
	Run: exportExpenses,
})

func exportExpenses(ctx context.Context, call *tool.Call, args exportArgs) (*exportResult, error) {
	days, err := spanOf(args.StartDate, args.EndDate)
	if err != nil {
		return nil, err
	}
	res := &exportResult{Success: true, Format: args.Format, Path: strings.TrimSpace(args.OutputPath)}
	if res.Path == "" {
		res.Path = "expenses-" + call.Clock.Now().UTC().Format("20060102-150405") + "." + args.Format
	}
	var list []tool.Record[stored]
	err = each(ctx, call, days.query(args.Category), func(r tool.Record[stored]) error {
		list = append(list, r)
		return nil
	})
	if err != nil {
		return nil, err
	}
	data, err := encode(args.Format, list)
	if err != nil {
		return nil, err
	}
	if dir := path.Dir(res.Path); dir != "." && dir != "/" {
		if err := call.Files.MkdirAll(dir); err != nil {
			return nil, err
		}
	}
	if _, err := call.Files.Write(res.Path, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	res.ExpenseCount = len(list)
	res.Message = fmt.Sprintf("Wrote %d expense(s) to %s.", len(list), res.Path)
	return res, nil
}

// created returns the time of a record as it is exported.
func created(r tool.Record[stored]) string { return r.CreatedAt.Format(time.RFC3339) }
