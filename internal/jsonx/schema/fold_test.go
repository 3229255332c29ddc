package schema

import "testing"

// TestPrepareFoldsEnums: the tool receives a value of an enum as the schema spells it.
func TestPrepareFoldsEnums(t *testing.T) {
	s := compile(t, object(`"properties":{"order":{"type":"string","enum":["asc","Desc"]},"unit":{"enum":["cal","Cal"]},"n":{},`+
		`"list":{"type":"array","items":{"$ref":"#/$defs/o"}},"map":{"type":"object","additionalProperties":{"$ref":"#/$defs/o"}},"c":{"const":"One"}},"$defs":{"o":{"enum":["UP","down",3]}}`))
	for args, want := range map[string]string{
		`{"order":"asc"}`:                              `{"order":"asc"}`,
		`{"order":"ASC","n":1.10}`:                     `{"order":"asc","n":1.10}`,
		`{ "n":"ASC" , "order" : "DESC" }`:             `{ "n":"ASC" , "order" : "Desc" }`,
		`{"list":["Up",3,"DOWN"],"map":{"up":"down"}}`: `{"list":["UP",3,"down"],"map":{"up":"down"}}`,
		`{"map":{"up":"Down"},"zebra":"ASC"}`:          `{"map":{"up":"down"}}`,
		`{"unit":"Cal"}`:                               `{"unit":"Cal"}`,
	} {
		p, err := s.Prepare([]byte(args))
		if err != nil || string(p.Args) != want {
			t.Errorf("Prepare(%s) = %s, %v, want %s", args, p.Args, err, want)
		}
	}
	for args, want := range map[string]string{
		`{"unit":"CAL"}`:           "unit: must be one of",
		`{"order":"ascending"}`:    "order: must be one of",
		`{"c":"one"}`:              "c: ",
		`{"order":"ASC","list":1}`: "list: expected array",
	} {
		_, err := s.Prepare([]byte(args))
		checkInvalid(t, "Prepare", err, want)
	}
}
