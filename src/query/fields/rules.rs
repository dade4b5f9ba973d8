//! The rules of writing queries are listed for help pages.

/// Each way to write a part of a query, and what it means, in the order of a help page.
pub const QUERY_RULES: [(&str, &str); 16] = [
    ("ria", "A word; case and accents do not matter"),
    (
        "\"ria formosa\"",
        "These words next to each other, in this order; also for text that looks like a field or an operator",
    ),
    ("found:\"\"\"a b\"\" c\"", "Quotes within quotes are doubled: here a search for a phrase and a word"),
    ("ria mar, ria AND mar", "Both"),
    ("ria OR mar", "At least one; binds less than AND"),
    ("-mar, NOT mar", "Not this one; binds tightest"),
    ("(ria OR mar) sol", "Brackets group"),
    ("\"ria formosa\"~3", "These words, at most three places apart or out of order"),
    ("ria NEAR/5 mar", "Both, in any order, at most five words between them; NEAR alone means ten"),
    ("prai*, p*a, pra?a", "* is any letters or none, ? is one letter; at least two letters must be given"),
    ("~praia", "One letter more, less, other or changed with its neighbour"),
    ("=praia", "The word in this form alone"),
    ("https://a.pt/x, a.pt/x", "A URL as it is pasted"),
    ("praia^2, (a OR b)^2", "Counts twice when results are ordered"),
    ("host:a.pt, title:*", "A field with a value; with any value at all"),
    ("*", "Everything"),
];
