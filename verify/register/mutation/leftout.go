package mutation

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// isRefusal reports whether n is an if, or a case, that ends with an error: what a function says of bad input is tested
// elsewhere.
func (f function) isRefusal(n ast.Node) bool {
	var body []ast.Stmt
	switch n := n.(type) {
	case *ast.IfStmt:
		if n.Else == nil {
			body = n.Body.List
		}
	case *ast.CaseClause:
		body = n.Body
	}
	if len(body) == 0 {
		return false
	}
	var last ast.Expr
	switch end := body[len(body)-1].(type) {
	case *ast.ReturnStmt:
		if len(end.Results) > 0 {
			last = end.Results[len(end.Results)-1]
		}
	case *ast.AssignStmt:
		last = end.Lhs[0]
	}
	return last != nil && f.isRefused(last)
}

// isRefused reports whether x is an error.
func (f function) isRefused(x ast.Expr) bool { return saysRefused.MatchString(f.of(x)) }

// saysRefused finds an error that is returned, or set.
var saysRefused = regexp.MustCompile(`^((\w+\.)?err$|\w+\(("[\w ]+", )?err\)$|ctx\.Err\(\)$|` +
	`fmt\.Errorf\(|errors\.New\(|&(Input|Delta)Error\{)`)

// saysWhatIsWrong finds what makes an error of an input.
var saysWhatIsWrong = regexp.MustCompile(`\b(fmt\.Errorf|must|cmp\.Or|domain|domainOf)\(`)

// isValidation reports whether f does nothing but say what is wrong with an input, or make another text.
func (f function) isValidation() bool {
	results := f.results()
	name := f.decl.Name.Name
	isSaying := strings.HasPrefix(name, "Check") ||
		strings.HasSuffix(name, "Fault") || slices.Contains([]string{"String", "Rule", "Validate"}, name)
	if len(results) != 1 || f.decl.Name.IsExported() && !isSaying {
		return false
	}
	return results[0] == "string" || results[0] == "error" && saysWhatIsWrong.MatchString(f.of(f.decl.Body))
}

// isBehind reports whether n bounds roundings, counts the bits of numbers, tells how far a search is or asks whether it
// is to end: behind the last digits of what statements are about, or beside it. Tests of the packages try that.
func (f function) isBehind(n ast.Node) bool {
	if x, isExpr := n.(ast.Expr); isExpr {
		n = ast.Unparen(x)
	}
	switch n.(type) {
	case *ast.BinaryExpr, *ast.AssignStmt, *ast.ExprStmt, *ast.KeyValueExpr, *ast.CallExpr:
		return saysBehind.MatchString(f.of(n))
	}
	return false
}

// saysBehind finds that.
var saysBehind = regexp.MustCompile(`^1 [+-] ([^=<>]*num\.(Roundoff|SumRounds\()[^=<>]*|0x1p-[45]\d)$|` +
	`^[^<=>,]*\b(prec|guard)\b[^<=>,]*$|^(\w+\.)*ctx\.Err\(\) [!=]= nil$|` +
	`^(\w+\.)*(Rounds|[pP]rogress)( \+?= | == nil|: |\()`)

// isMessage reports whether n makes a text or ∞, checks an input, sets memory or bits aside or ends the program: what
// no number depends on.
func isMessage(n ast.Node) bool {
	call, isCall := n.(*ast.CallExpr)
	if !isCall {
		return false
	}
	before, name := nameOf(call)
	if name == nil {
		return false
	}
	isNamed := strings.HasPrefix(name.Name, "check") ||
		slices.Contains([]string{"panic", "Inf", "Grow", "SetPrec", "Precision"}, name.Name)
	isFirstOf := name.Name == "Or" && slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return isMessage(x) })
	return isNamed || isFirstOf || isPackage(before, "fmt", "errors", "check")
}

// isPackage reports whether x is one of these names.
func isPackage(x ast.Expr, names ...string) bool {
	name, isName := x.(*ast.Ident)
	return isName && slices.Contains(names, name.Name)
}
