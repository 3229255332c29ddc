package dataextraction

// templates are the schemas of common documents. Required is only what a document of the
// kind cannot lack.
var templates = map[string]string{
	"receipt": `{"type":"object","properties":{
		"merchant":{"type":"string"},"address":{"type":"string"},"date":{"type":"string","format":"date"},"time":{"type":"string"},"currency":{"type":"string","description":"ISO 4217 code"},
		"items":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"quantity":{"type":"number"},"price":{"type":"number","description":"of the line"}},"required":["name"]}},
		"subtotal":{"type":"number"},"tax":{"type":"number"},"tip":{"type":"number"},"total":{"type":"number"},"paymentMethod":{"type":"string"}},"required":["total"]}`,
	"invoice": `{"type":"object","properties":{
		"invoiceNumber":{"type":"string"},"issueDate":{"type":"string","format":"date"},"dueDate":{"type":"string","format":"date"},"currency":{"type":"string","description":"ISO 4217 code"},
		"seller":` + party + `,"buyer":` + party + `,
		"lineItems":{"type":"array","items":{"type":"object","properties":{"description":{"type":"string"},"quantity":{"type":"number"},"unitPrice":{"type":"number"},"amount":{"type":"number"}},"required":["description"]}},
		"subtotal":{"type":"number"},"taxRate":{"type":"number","description":"percent"},"tax":{"type":"number"},"total":{"type":"number"},"paymentTerms":{"type":"string"},"iban":{"type":"string"}},"required":["total"]}`,
	"contact": `{"type":"object","properties":{
		"name":{"type":"string"},"company":{"type":"string"},"jobTitle":{"type":"string"},"emails":` + texts + `,"phones":` + texts + `,
		"address":{"type":"string"},"website":{"type":"string"},"birthday":{"type":"string","format":"date"},"notes":{"type":"string"}},"required":["name"]}`,
	"event": `{"type":"object","properties":{
		"title":{"type":"string"},"description":{"type":"string"},"startDate":{"type":"string","format":"date"},"startTime":{"type":"string","description":"HH:MM"},"endDate":{"type":"string","format":"date"},"endTime":{"type":"string","description":"HH:MM"},
		"timezone":{"type":"string"},"location":{"type":"string"},"organizer":{"type":"string"},"attendees":` + texts +
		`,"url":{"type":"string"}},"required":["title"]}`,
	"product": `{"type":"object","properties":{
		"name":{"type":"string"},"brand":{"type":"string"},"sku":{"type":"string"},"category":{"type":"string"},"description":{"type":"string"},"price":{"type":"number"},"currency":{"type":"string","description":"ISO 4217 code"},
		"availability":{"type":"string"},"rating":{"type":"number"},"reviewCount":{"type":"integer"},"features":` + texts + `,"specifications":` +
		pairs + `},"required":["name"]}`,
	"job_posting": `{"type":"object","properties":{
		"title":{"type":"string"},"company":{"type":"string"},"location":{"type":"string"},"remote":{"type":"boolean"},"employmentType":{"type":"string"},
		"salaryMin":{"type":"number"},"salaryMax":{"type":"number"},"salaryCurrency":{"type":"string","description":"ISO 4217 code"},"salaryPeriod":{"type":"string"},
		"responsibilities":` + texts + `,"requirements":` + texts + `,"benefits":` + texts +
		`,"deadline":{"type":"string","format":"date"},"applyUrl":{"type":"string"}},"required":["title"]}`,
	"article": `{"type":"object","properties":{
		"title":{"type":"string"},"authors":` + texts +
		`,"publishedDate":{"type":"string","format":"date"},"publisher":{"type":"string"},"language":{"type":"string"},
		"summary":{"type":"string"},"keyPoints":` + texts + `,"topics":` + texts + `,"url":{"type":"string"}},"required":["title"]}`,
	"address": `{"type":"object","properties":{
		"recipient":{"type":"string"},"street":{"type":"string"},"houseNumber":{"type":"string"},"unit":{"type":"string"},"postalCode":{"type":"string"},"city":{"type":"string"},"region":{"type":"string"},
		"country":{"type":"string"},"countryCode":{"type":"string","description":"ISO 3166 code of two letters"}}}`,
	"email_metadata": `{"type":"object","properties":{
		"from":{"type":"string"},"to":` + texts + `,"cc":` + texts +
		`,"subject":{"type":"string"},"date":{"type":"string"},"summary":{"type":"string"},"intent":{"type":"string"},
		"priority":{"type":"string","enum":["low","normal","high"]},"actionItems":` + texts + `,"attachments":` + texts + `}}`,
}

// Parts of templates.
const (
	texts = `{"type":"array","items":{"type":"string"}}`
	pairs = `{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}},"required":["name","value"]}}`
	party = `{"type":"object","properties":{"name":{"type":"string"},"address":{"type":"string"},"taxId":{"type":"string"},"email":{"type":"string"}}}`
)
