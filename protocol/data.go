package protocol

// DataExport answers data.export over NATS. Over HTTP the answer is the file itself.
type DataExport struct {
	Format string `json:"format" doc:"The format of the data."`
	Data   string `json:"data" doc:"The file, as text."`
}

// DataImport is the body of data.import.
type DataImport struct {
	User    string `json:"user,omitempty" doc:"The person whose data it becomes; if absent, the caller."`
	Format  string `json:"format,omitempty" doc:"The format of the data: jsonl (if absent), csv, ics, vcf or html."`
	Data    string `json:"data" doc:"The file, as text."`
	Replace bool   `json:"replace,omitzero" doc:"true if items replace stored ones with the same id."`
}

// DataImported answers data.import.
type DataImported struct {
	Added    int `json:"added" doc:"How many items were stored."`
	Replaced int `json:"replaced" doc:"How many items replaced stored ones."`
	Kept     int `json:"kept" doc:"How many items were left out, because their id is taken."`
	Skipped  int `json:"skipped,omitzero" doc:"How many items were left out, because they cannot be read."`

	Problems []ImportProblem `json:"problems,omitzero" doc:"The first hundred items that were left out, or are not stored as the file has them."`
}

// ImportProblem is an item of an imported file that is not stored, or not as the file has it.
type ImportProblem struct {
	Line   int    `json:"line" doc:"The line of the file where the item begins, from 1."`
	Item   string `json:"item,omitzero" doc:"The name of the item, if it has one."`
	Reason string `json:"reason" doc:"What is wrong with it."`
	Stored bool   `json:"stored,omitzero" doc:"true if the item is stored all the same, in the way that the reason says."`
}

// DataSummary answers data.summary.
type DataSummary struct {
	Items       int64            `json:"items" doc:"How many items tools keep for the person."`
	Bytes       int64            `json:"bytes" doc:"The size of these items."`
	Collections []DataCollection `json:"collections" doc:"The collections of these items, the largest first, at most 1000."`
}

// DataCollection is a collection of items of a person.
type DataCollection struct {
	Name  string `json:"name" doc:"The name, such as notes; custom_ID is a table that the person defined."`
	Items int64  `json:"items" doc:"How many items it has."`
	Bytes int64  `json:"bytes" doc:"The size of its items."`
}

// DataDeleted answers data.delete.
type DataDeleted struct {
	Items       int64    `json:"items" doc:"How many items the store held."`
	CallResults int64    `json:"call_results" doc:"How many results of calls the store held."`
	Results     int      `json:"results" doc:"How many results of calls NATS held."`
	KeptCalls   int      `json:"kept_calls" doc:"How many calls the history held."`
	Grants      int      `json:"grants" doc:"How many remembered decisions were revoked."`
	CustomTools int      `json:"custom_tools" doc:"How many custom tools were deleted, with their shared versions."`
	Services    int      `json:"services" doc:"How many entries of services were deleted."`
	Left        []string `json:"left" doc:"What could not be removed now, and when it expires."`
}
