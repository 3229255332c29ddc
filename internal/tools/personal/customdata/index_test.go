package customdata

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestIndex(t *testing.T) {
	v := stored{Name: "t"}
	numbers := func() []int {
		list := make([]int, len(v.Indexed))
		for i, s := range v.Indexed {
			list[i] = s.Number
		}
		return list
	}
	step := func(what string, add []columnInput, want ...int) {
		t.Helper()
		if err := v.addColumns("add", add); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, numbers()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	column := func(kind string, unique bool) columnInput {
		return columnInput{shownColumn: shownColumn{Name: fmt.Sprintf("c%d", v.Made), Type: kind, Unique: unique}}
	}
	step("a json column has none", []columnInput{
		{shownColumn: shownColumn{Name: "j", Type: typeJSON}}, {shownColumn: shownColumn{Name: "a", Type: typeText}},
		{shownColumn: shownColumn{Name: "u", Type: typeText, Unique: true}},
	}, 3, 2)
	for range 8 {
		step("", []columnInput{column(typeNumber, false)}, append(numbers(), v.Made+1)[:min(len(v.Indexed)+1, maxIndexed)]...)
	}
	step("a unique column takes the place of the last", []columnInput{column(typeText, true)}, 3, 2, 4, 5, 6, 7, 8, 12)
	v.Columns = append(v.Columns[:1], v.Columns[2:]...) // the second
	step("a dropped column keeps its place until another one takes it", []columnInput{column(typeJSON, false)}, 3, 9, 4, 5, 6, 7, 8, 12)
	v.Columns = append(v.Columns[:1], v.Columns[2:]...) // the third, which is unique
	v.Columns = v.Columns[:5]
	step("without a column to take it", nil, 3, 9, 4, 5, 6, 7, 8, 12)
}
