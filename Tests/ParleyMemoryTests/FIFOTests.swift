// Facts about the memory log follow.
