//! How queries are written, for help pages.

/// Each way to write a part of a query, and what it means, in the order of a help page.
pub const QUERY_RULES: [(&str, &str); 15] = [
    ("ria", "A word; case and accents do not matter"),
    ("\"ria formosa\"", "These words one behind the other; also for text that looks like a field or an operator"),
    ("ria mar, ria AND mar", "Both"),
    ("ria OR mar", "At least one; binds less than AND"),
    ("-mar, NOT mar", "Not this one; binds tightest"),
    ("(ria OR mar) sol", "Brackets group"),
    ("\"ria formosa\"~3", "These words, so many places out of order or apart at most"),
    ("ria NEAR/5 mar", "Both, in any order, five words between them at most; NEAR alone is ten"),
    ("prai*, p*a, pra?a", "Any letters, also none; one letter. Two letters have to be written"),
    ("~praia", "One letter more, less, other or changed with its neighbour"),
    ("=praia", "The word in this form alone"),
    ("https://a.pt/x, a.pt/x", "A URL as it is pasted"),
    ("praia^2, (a OR b)^2", "Counts twice in the order of results"),
    ("host:a.pt, title:*", "A field with a value; with any value at all"),
    ("*", "Everything"),
];
