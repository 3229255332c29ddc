package openapi

const trace = "0af7651916cd43dd8448eb211c80319c"

var executeRequests = map[string]string{
	"call": `{"context":{"user":"ada","agent":"a1"},"calls":[{"call_id":"c1","tool":"calculate","arguments":{"expression":"6*7"}}],"wait_ms":30000}`,
	"message": `{"context":{"user":"ada"},"format":"openai","message":{"role":"assistant","content":null,"tool_calls":[
		{"id":"call_1","type":"function","function":{"name":"calculate","arguments":"{\"expression\":\"6*7\"}"}}]}}`,
}

var executeAnswers = map[string]string{
	"success": `{"trace_id":"` + trace + `","results":[` + calculated + `]}`,
	"pending": `{"trace_id":"` + trace + `","results":[{"call_id":"c2","trace_id":"` + trace + `","tool":"delete_file","status":"pending",
		"state":"awaiting_consent","consent_id":"c-7","duration_ms":0}]}`,
	"failure": `{"trace_id":"` + trace + `","results":[{"call_id":"c3","trace_id":"` + trace +
		`","tool":"nope","status":"error","state":"done",
		"error_type":"tool_not_found","message":"Tool 'nope' not found","duration_ms":0}]}`,
}

var oneResult = map[string]string{"success": calculated}

const (
	calculated = `{"call_id":"c1","trace_id":"` + trace + `","tool":"calculate","status":"success","state":"done","result":{"result":42},
		"duration_ms":0.2,"attempt":1,"worker":"w-1"}`
	mintRequest = `{"user":"ada","trace_id":"` + trace + `","tools":["delete_file"],"scopes":{"paths":["workspace"],"hosts":[],"apps":[]},
		"ttl_seconds":300,"reusable":false}`
	registerRequest = `{"instance":"billing-1","ttl_ms":15000,"tools":[{"name":"invoice_total","description":"Add up an invoice.",
		"parameters":{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]},"mutates":false}]}`
)

const importRequest = `{"user":"ann","format":"jsonl","data":"{\"collection\":\"notes\",\"id\":\"k3f9q2x7m5ab\",\"doc\":{\"title\":\"Call Bob\"}}\n"}`
