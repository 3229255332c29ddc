package data

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/helve-dev/helve/internal/lib/calc"
	"github.com/helve-dev/helve/internal/lib/jsonvalue"
	"github.com/helve-dev/helve/internal/lib/jsonwalk"
	"github.com/helve-dev/helve/tool"
)

type arrayOptions struct {
	SortKey    string   `json:"sortKey,omitempty" doc:"Member that items which are objects are sorted by, told apart by (unique) or calculated with."`
	SortOrder  string   `json:"sortOrder,omitempty" enum:"asc,desc" doc:"Direction of sort; asc by default."`
	ChunkSize  *float64 `json:"chunkSize,omitempty" doc:"Items in each part that chunk makes; 2 by default."`
	SampleSize *float64 `json:"sampleSize,omitempty" doc:"Items that sample picks; 1 by default."`
	Count      *float64 `json:"count,omitempty" doc:"Items that first or last takes; 1 by default."`
}

type arrayArgs struct {
	Array     json.RawMessage `json:"array" alias:"items" doc:"The items: a JSON array, or the text of one."`
	Operation string          `json:"operation" enum:"sort,reverse,unique,shuffle,chunk,flatten,sample,first,last,sum,avg,min,max,count" doc:"What to do with them; sum, avg, min and max look at numbers only."`
	Options   arrayOptions    `json:"options,omitzero" doc:"Settings of single operations."`
}

type arrayResult struct {
	Operation   string          `json:"operation"`
	InputLength int             `json:"inputLength" doc:"Items of the array that was given."`
	Result      json.RawMessage `json:"result" doc:"An array, or for sum, avg, min, max and count a number; min and max of no numbers are null."`
	Skipped     int             `json:"skipped,omitzero" doc:"Items that are not numbers and so were left out."`
}

var _ = tool.Add(Set, tool.Spec[arrayArgs, arrayResult]{
	Name: "array_operations",
	Description: "Sort, reverse, deduplicate, shuffle, split, flatten or sample a JSON array, take its first or last items, or calculate " +
		"its sum, average, minimum, maximum or count, and return the new array or the number.",
	Tags: []string{
		"array", "list", "sort", "filter", "unique", "order", "chunk", "average", "sum", "minimum", "maximum", "random sample",
	},
	Group:      "utilities",
	Risk:       tool.Low,
	Mutates:    false,
	Idempotent: true,
	Timeout:    10 * time.Second,
	Errors:     []tool.Kind{},
	Example:    `{"array":"[{\"name\":\"Bo\",\"age\":41},{\"name\":\"Al\",\"age\":9}]","operation":"sort","options":{"sortKey":"age"}}`,
	Run:        arrayOperations,
})

func arrayOperations(_ context.Context, _ *tool.Call, args arrayArgs) (arrayResult, error) {
	items, err := jsonvalue.Array("array", args.Array)
	if err != nil {
		return arrayResult{}, err
	}
	res := arrayResult{Operation: args.Operation, InputLength: len(items)}
	var result jsontext.Value
	switch args.Operation {
	case "sum", "avg", "min", "max":
		result, res.Skipped, err = arrayNumber(items, args.Operation, args.Options.SortKey)
	case "count":
		result = jsonwalk.Count(len(items))
	case "chunk":
		result, err = arrayChunks(items, args.Options.ChunkSize)
	default:
		items, err = arrayItems(items, args.Operation, args.Options)
		result = jsonwalk.Join(items)
	}
	res.Result = json.RawMessage(result)
	return res, err
}

func arrayChunks(items []jsontext.Value, asked *float64) (jsontext.Value, error) {
	size, err := arrayCount("chunkSize", asked, 2)
	if err != nil {
		return nil, err
	}
	var chunks []jsontext.Value
	for chunk := range slices.Chunk(items, size) {
		chunks = append(chunks, jsonwalk.Join(chunk))
	}
	return jsonwalk.Join(chunks), nil
}

// arrayItems runs the operations that return items of the array.
func arrayItems(items []jsontext.Value, operation string, options arrayOptions) ([]jsontext.Value, error) {
	switch operation {
	case "sort":
		return jsonvalue.Order{Member: options.SortKey, Descending: options.SortOrder == "desc"}.Sorted(items), nil
	case "reverse":
		slices.Reverse(items)
	case "unique":
		return jsonvalue.Distinct(items, options.SortKey, false), nil
	case "flatten":
		return arrayFlat([]jsontext.Value{}, items), nil
	case "shuffle":
		arrayShuffle(items)
	case "sample":
		n, err := arrayCount("sampleSize", options.SampleSize, 1)
		if err != nil {
			return nil, err
		}
		arrayShuffle(items)
		return items[:min(n, len(items))], nil
	default: // first and last
		n, err := arrayCount("count", options.Count, 1)
		if err != nil {
			return nil, err
		}
		n = min(n, len(items))
		if operation == "first" {
			return items[:n], nil
		}
		return items[len(items)-n:], nil
	}
	return items, nil
}

// arrayCount returns the requested number of items, or the default.
func arrayCount(name string, asked *float64, usual int) (int, error) {
	if asked == nil {
		return usual, nil
	}
	n := calc.ToInt(*asked)
	if n < 1 {
		return 0, tool.Fail(tool.ValidationError, "options.%s must be 1 or more, not %v.", name, *asked)
	}
	return n, nil
}

// arrayFlat replaces items that are arrays by their items, at every level; the depth of
// the JSON is limited.
func arrayFlat(dst, items []jsontext.Value) []jsontext.Value {
	for _, item := range items {
		if item.Kind() == '[' {
			dst = arrayFlat(dst, jsonwalk.Items(item))
		} else {
			dst = append(dst, item)
		}
	}
	return dst
}

func arrayShuffle(items []jsontext.Value) {
	rand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
}

// arrayNumber runs the numeric operations on the items that are numbers. Numeric text
// does not count as a number.
func arrayNumber(items []jsontext.Value, operation, member string) (result jsontext.Value, skipped int, err error) {
	numbers, err := arrayNumbers(items, member)
	if err != nil {
		return nil, 0, err
	}
	skipped = len(items) - len(numbers)
	var sum jsonvalue.Sum
	var least, most *arrayEntry
	for i := range numbers {
		n := &numbers[i]
		sum.Add(n.number)
		if least == nil || n.number.Compare(least.number) < 0 {
			least = n
		}
		if most == nil || n.number.Compare(most.number) > 0 {
			most = n
		}
	}
	switch {
	case operation == "sum":
		return sum.Total(), skipped, nil
	case operation == "avg":
		return sum.Mean(), skipped, nil
	case least == nil:
		return jsontext.Value("null"), skipped, nil
	case operation == "min":
		return least.value, skipped, nil
	default:
		return most.value, skipped, nil
	}
}

// arrayEntry is an item that is a number.
type arrayEntry struct {
	number jsonvalue.Decimal
	value  jsontext.Value
}

func arrayNumbers(items []jsontext.Value, member string) ([]arrayEntry, error) {
	var numbers []arrayEntry
	for i, item := range items {
		v := jsonwalk.MemberOf(item, member)
		if v.Kind() != '0' {
			continue
		}
		number, _ := jsonvalue.ParseDecimal(string(v))
		if !number.Usable() {
			return nil, tool.Fail(tool.ValidationError,
				"Item %d is a number of more than %d digits or with an exponent beyond %d; it cannot be calculated with.",
				i+1, jsonvalue.MaxDecimalDigits, jsonvalue.MaxDecimalExponent)
		}
		numbers = append(numbers, arrayEntry{number, v})
	}
	return numbers, nil
}
