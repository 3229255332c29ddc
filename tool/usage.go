package tool

// Usage holds the consumption of one request, as the provider reported it.
type Usage struct {
	// Service is the service in the config center, and Model the model of the provider.
	Service, Model string
	// Input and Output are numbers of tokens.
	Input, Output int
	// Cost is in US dollars; 0 if the provider reports none.
	Cost float64
}

// Spend adds what a request of the call consumed. The result's metadata has the sum as
// "usage", with the model of the last request. Only the goroutine that runs the tool may
// call it.
func (c *Call) Spend(u Usage) { c.usage = append(c.usage, u) }

// summed returns the usage of a call as metadata; nil if nothing was reported.
func summed(all []Usage) map[string]any {
	if len(all) == 0 {
		return nil
	}
	var sum Usage
	for _, u := range all {
		sum.Input, sum.Output, sum.Cost = sum.Input+max(0, u.Input), sum.Output+max(0, u.Output), sum.Cost+max(0, u.Cost)
		if u.Model != "" {
			sum.Model = u.Model
		}
	}
	usage := map[string]any{"input_tokens": sum.Input, "output_tokens": sum.Output, "model": sum.Model}
	if sum.Cost > 0 {
		usage["cost_usd"] = sum.Cost
	}
	return usage
}
