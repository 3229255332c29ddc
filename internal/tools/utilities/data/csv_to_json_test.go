package data

import (
	"testing"

	"github.com/helve-dev/helve/internal/lib/csvtab"
	"github.com/helve-dev/helve/tool"
	"github.com/helve-dev/helve/tool/tooltest"
)

func TestCSVToJSON(t *testing.T) {
	files := tooltest.Files{"report.csv": "name,amount\nAda,5\n", "no/": ""}
	tooltest.Run(t, Set, "csv_to_json", tool.Call{Files: files}, []tooltest.Case{
		{
			Name: "types", Args: `{"csv":"a,b,c,d,e,f\n1.10,-2e3,true,,007,x"}`,
			Want: `{"headers":["a","b","c","d","e","f"],"data":[{"a":1.10,"b":-2e3,"c":true,"d":null,"e":"007","f":"x"}],"rowCount":1,"columnCount":6}`,
		},
		{
			Name: "what is no number", Args: `{"csv":"+1,.5,1.,1e999,NaN,True,[1],0x1","hasHeader":false}`,
			Want: `{"data":[["+1",".5","1.","1e999","NaN","True","[1]","0x1"]],"rowCount":1,"columnCount":8}`,
		},
		{Name: "strings", Args: `{"csv":"a\n1","convertTypes":false}`, Want: `{"headers":["a"],"data":[{"a":"1"}],"rowCount":1,"columnCount":1}`},
		{
			Name: "file",
			Args: `{"path":"report.csv"}`,
			Want: `{"headers":["name","amount"],"data":[{"name":"Ada","amount":5}],"rowCount":1,"columnCount":2}`,
		},
		{Name: "neither", Args: `{}`, Fails: tool.ValidationError, Message: "name a file of the workspace with path"},
		{Name: "both", Args: `{"csv":"a","path":"report.csv"}`, Fails: tool.ValidationError, Message: "send one of them"},
		{Name: "missing file", Args: `{"path":"no.csv"}`, Fails: tool.FileNotFound},
		{Name: "outside", Args: `{"path":"/etc/passwd"}`, Fails: tool.PathNotAllowed},
		{Name: "not closed", Args: `{"csv":"\"a"}`, Fails: tool.ValidationError, Message: "never closed"},
	})
	tooltest.Run(t, Set, "csv_to_json", tool.Call{Files: sizedFiles{files, csvtab.MaxFile + 1}}, []tooltest.Case{
		{Name: "large file", Args: `{"path":"report.csv"}`, Fails: tool.FileTooLarge},
	})
}
